import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const turns = (page: Page, name: string) => page.getByRole('navigation', { name, exact: true });
const numbers = async (page: Page, name: string) => {
  const all = await turns(page, name).getByRole('button').allInnerTexts();
  return all.filter((text) => text !== '').map(Number);
};

test('shows numbers within five of the page, within two in narrow containers', async ({ show }) => {
  const page = await show('pagination');
  expect(await numbers(page, 'Halaman tengah')).toEqual([7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
  expect(await numbers(page, 'Halaman sempit')).toEqual([10, 11, 12, 13, 14]);
  expect(await numbers(page, 'Halaman awal')).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await turns(page, 'Halaman tunggal').count()).toBe(0);
});

test('the keyboard turns a page; it is announced, and the focus stays', async ({ show }) => {
  const page = await show('pagination');
  const nav = turns(page, 'Halaman tengah');
  const next = nav.getByRole('button', { name: 'Halaman berikutnya' });
  await next.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await waitFor(async () =>
    expect(await page.getByLabel('Halaman tengah, page').textContent()).toBe('14'),
  );
  expect(await nav.getByRole('status').textContent()).toBe('Halaman 14 dari 24');
  expect(await next.evaluate((one) => one === document.activeElement)).toBe(true);
  const current = nav.locator('[aria-current="page"]');
  expect(await current.getAttribute('aria-label')).toBe('Halaman 14');
});

test('the ends are disabled, not removed', async ({ show }) => {
  const page = await show('pagination');
  const first = turns(page, 'Halaman awal');
  for (const name of ['Halaman pertama', 'Halaman sebelumnya']) {
    const button = first.getByRole('button', { name });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.focus();
    await page.keyboard.press('Enter');
  }
  expect(await page.getByLabel('Halaman awal, page').textContent()).toBe('1');
  const last = turns(page, 'Halaman akhir').getByRole('button', { name: 'Halaman berikutnya' });
  expect(await last.getAttribute('aria-disabled')).toBe('true');
});

test('without a page count there is back and forth', async ({ show }) => {
  const page = await show('pagination', { width: 390 });
  const nav = turns(page, 'Halaman tanpa jumlah');
  expect(await nav.getByRole('button').count()).toBe(2);
  await nav.getByRole('button', { name: 'Halaman sebelumnya' }).click();
  await waitFor(async () => expect(await nav.getByRole('status').textContent()).toBe('Halaman 1'));
  const box = await boxOf(nav.getByRole('button').first());
  expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
});

test('a page beyond the last one shows the last one', async ({ show }) => {
  const page = await show('pagination');
  await page.getByRole('button', { name: 'Only 4 pages' }).click();
  const nav = turns(page, 'Halaman berkurang');
  expect(await nav.getByRole('status').textContent()).toBe('Halaman 4 dari 4');
  expect(await numbers(page, 'Halaman berkurang')).toEqual([1, 2, 3, 4]);
});
