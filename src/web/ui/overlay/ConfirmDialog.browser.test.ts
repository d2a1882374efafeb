import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

test('the default buttons are Cancel and Delete, and Enter does not delete', async ({ show }) => {
  const page = await show('confirm-dialog', { width: 390 });
  const answer = page.getByLabel('Default answer');
  await page.getByRole('button', { name: 'Ask with the default words' }).press('Enter');
  const dialog = page.getByRole('alertdialog', { name: 'Delete this?' });
  await dialog.waitFor();
  expect(await focused(page)).toBe('Cancel');
  await page.keyboard.press('Enter');
  await waitFor(async () => expect(await answer.textContent()).toBe('cancelled'));

  await page.keyboard.press('Enter');
  await dialog.waitFor();
  await page.keyboard.press('Tab');
  await waitFor(async () => expect(await focused(page)).toBe('Delete'));
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await answer.textContent()).toBe('confirmed');
  expect(await focused(page)).toBe('Ask with the default words');
});

test('the promise resolves to yes on confirmation, to no on every way out', async ({ show }) => {
  const page = await show('confirm-dialog');
  const answer = page.getByLabel('Promised answer');
  const dialog = page.getByRole('alertdialog', { name: 'Hapus token Kasir Malioboro?' });
  const ask = async () => {
    await page.getByRole('button', { name: 'Ask for a promise' }).click();
    await dialog.waitFor();
    expect(await focused(page)).toBe('Batal');
  };
  const ways: [string, () => Promise<unknown>][] = [
    ['confirmed 1', () => dialog.getByRole('button', { name: 'Hapus' }).click()],
    ['cancelled 2', () => dialog.getByRole('button', { name: 'Batal' }).click()],
    ['cancelled 3', () => dialog.getByRole('button', { name: 'Tutup' }).click()],
    ['cancelled 4', () => page.keyboard.press('Escape')],
    ['cancelled 5', () => page.mouse.click(8, 8)],
  ];
  for (const [said, leave] of ways) {
    await ask();
    await leave();
    await waitFor(async () => expect(await answer.textContent()).toBe(said));
    expect(await dialog.count()).toBe(0);
    expect(await focused(page)).toBe('Ask for a promise');
  }
  const describedBy = await (async () => {
    await ask();
    const id = await dialog.getAttribute('aria-describedby');
    return page.evaluate((one) => document.getElementById(one ?? '')?.textContent, id);
  })();
  expect(describedBy).toContain('Ini tidak dapat dibatalkan.');
});

test('while the action runs it cannot be repeated or closed', async ({ show }) => {
  const page = await show('confirm-dialog', { own: true });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole('button', { name: 'Ask, with work to do' }).click();
  const dialog = page.getByRole('alertdialog');
  const deed = dialog.getByRole('button', { name: /Putuskan/ });
  await deed.click();
  await waitFor(async () => expect(await deed.getAttribute('aria-busy')).toBe('true'));
  await deed.click({ force: true });
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Batal' }).click({ force: true });
  await page.mouse.click(8, 8);
  await waitFor(async () => expect(await dialog.count()).toBe(1));
  await page.clock.runFor(2_000);
  await dialog.waitFor({ state: 'detached' });
  await waitFor(async () =>
    expect(await page.getByLabel('Times carried out').textContent()).toBe('1'),
  );
  await waitFor(async () =>
    expect(await page.getByLabel('Answer after work').textContent()).toBe('confirmed'),
  );
});

test('an error is shown inside and can be retried', async ({ show }) => {
  const page = await show('confirm-dialog', { width: 390, own: true });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole('button', { name: 'Ask, with work that fails' }).click();
  const dialog = page.getByRole('alertdialog');
  const deed = dialog.getByRole('button', { name: /Putuskan/ });
  await deed.click();
  await page.clock.runFor(2_000);
  await dialog.getByRole('alert').getByText('Ponsel sedang tidak dapat dihubungi.').waitFor();
  await deed.click();
  await page.clock.runFor(2_000);
  await dialog.getByRole('alert').waitFor();
  await waitFor(async () =>
    expect(await page.getByLabel('Times carried out').textContent()).toBe('2'),
  );
  await dialog.getByRole('button', { name: 'Batal' }).click();
  await waitFor(async () =>
    expect(await page.getByLabel('Answer after work').textContent()).toBe('cancelled'),
  );
});
