import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

async function shown(page: Page) {
  await page.getByRole('button', { name: 'Show the page head' }).click();
  await page.getByRole('heading', { name: 'Mutasi saldo' }).waitFor();
  const toggle = page.getByRole('button', { name: 'Alat halaman' });
  const tool = page.getByRole('button', { name: 'Unduh' });
  return { toggle, tool };
}

test('on phones the tools are behind a button with a label', async ({ show }) => {
  const page = await show('page-head', { width: 390 });
  const { toggle, tool } = await shown(page);
  await page.getByRole('button', { name: 'Isi saldo' }).waitFor();
  expect(await tool.isVisible()).toBe(false);
  expect(await toggle.getAttribute('aria-expanded')).toBe('false');
  await toggle.press('Enter');
  await waitFor(async () => expect(await toggle.getAttribute('aria-expanded')).toBe('true'));
  const controls = await toggle.getAttribute('aria-controls');
  expect(await page.locator(`[id="${controls}"]`).getByRole('button').count()).toBe(1);
  await page.keyboard.press('Tab');
  await waitFor(async () =>
    expect(await tool.evaluate((one) => one === document.activeElement)).toBe(true),
  );

  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await tool.isVisible()).toBe(false));
  expect(await toggle.evaluate((one) => one === document.activeElement)).toBe(true);
});

test('a press outside closes the tools, one in their menu does not', async ({ show }) => {
  const page = await show('page-head', { width: 390 });
  const { toggle, tool } = await shown(page);
  await toggle.click();
  await page.getByRole('heading', { name: 'Mutasi saldo' }).click();
  await waitFor(async () => expect(await tool.isVisible()).toBe(false));

  await toggle.click();
  await tool.click();
  await page.getByRole('menu').waitFor();
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await tool.isVisible()).toBe(true));
  await tool.click();
  await page.getByRole('menuitem', { name: 'Sebagai CSV' }).click();
  await waitFor(async () => expect(await page.getByLabel('Tool used').textContent()).toBe('CSV'));
  expect(await tool.isVisible()).toBe(true);
});

test('on wide screens the tools are visible', async ({ show }) => {
  const page = await show('page-head');
  const { toggle, tool } = await shown(page);
  expect(await toggle.isVisible()).toBe(false);
  expect(await tool.isVisible()).toBe(true);
});

test('on the smallest phone the context is below the title, and the tools below both', async ({
  show,
}) => {
  const page = await show('page-head', { width: 390 });
  await page.setViewportSize({ width: 320, height: 640 });
  const { toggle } = await shown(page);
  const title = await boxOf(page.getByRole('heading', { name: 'Mutasi saldo' }));
  const context = await boxOf(page.getByText('Semua yang masuk dan keluar'));
  const action = await boxOf(page.getByRole('button', { name: 'Isi saldo' }));
  expect(context.y).toBeGreaterThanOrEqual(title.y + title.height);
  expect(action.y).toBeGreaterThanOrEqual(context.y + context.height);
  expect(Math.abs((await boxOf(toggle)).y - action.y)).toBeLessThan(4);
});
