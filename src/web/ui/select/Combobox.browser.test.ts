import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const textOf = (page: Page, of: string) => page.getByLabel(of, { exact: true }).textContent();
const marked = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant');
    return id ? document.getElementById(id)?.textContent : null;
  });

test('a combobox option is found by typing and selected by Enter, without submitting the form', async ({
  show,
}) => {
  const page = await show('combobox');
  const field = page.getByRole('combobox', { name: 'Provinsi', exact: true });
  const list = page.getByRole('listbox', { name: 'Provinsi', exact: true });
  await field.focus();
  await waitFor(async () => expect(await field.getAttribute('aria-expanded')).toBe('false'));
  await page.keyboard.type('kal');
  await list.waitFor();
  expect(await list.getByRole('option').count()).toBe(5);
  expect(await field.getAttribute('aria-expanded')).toBe('true');
  expect(await marked(page)).toBe('Kalimantan Barat');
  const state = page.getByRole('region', { name: 'Nothing chosen yet' });
  expect(await state.getByRole('status').first().textContent()).toBe('5 pilihan');
  await page.keyboard.press('ArrowUp');
  await waitFor(async () => expect(await marked(page)).toBe('Kalimantan Utara'));
  await page.keyboard.press('Enter');
  await waitFor(async () => expect(await field.inputValue()).toBe('Kalimantan Utara'));
  expect(await textOf(page, 'Province')).toBe('kalimantan-utara');
  expect(await list.count()).toBe(0);
  expect(await textOf(page, 'Submissions')).toBe('0');
  await page.keyboard.press('Enter');
  await waitFor(async () => expect(await textOf(page, 'Submissions')).toBe('1'));
});

test('the arrows open the list, wrap and skip disabled entries; Tab selects the marked one', async ({
  show,
}) => {
  const page = await show('combobox', { width: 390 });
  const field = page.getByRole('combobox', { name: 'Provinsi', exact: true });
  await field.focus();
  await page.keyboard.press('ArrowDown');
  await waitFor(async () => expect(await marked(page)).toBe('Aceh'));
  for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowDown');
  // Riau is disabled.
  expect(await marked(page)).toBe('Jambi');
  for (let press = 0; press < 4; press++) await page.keyboard.press('ArrowUp');
  await waitFor(async () => expect(await marked(page)).toBe('Papua Barat'));
  await page.keyboard.press('PageUp');
  await waitFor(async () => expect(await marked(page)).toBe('Kalimantan Timur'));
  const option = page.getByRole('option', { name: 'Kalimantan Timur' });
  const [shown, box] = [await boxOf(option), await boxOf(page.getByRole('listbox'))];
  expect(shown.y).toBeGreaterThanOrEqual(box.y);
  expect(shown.y + shown.height).toBeLessThanOrEqual(box.y + box.height);
  expect(shown.height).toBeGreaterThanOrEqual(44);
  await page.keyboard.press('Tab');
  await waitFor(async () => expect(await textOf(page, 'Province')).toBe('kalimantan-timur'));
  expect(await page.getByRole('listbox').count()).toBe(0);
  const next = page.getByRole('button', { name: 'Simpan alamat' });
  expect(await next.evaluate((one) => one === document.activeElement)).toBe(true);
});

test('text without a match reverts to the last choice; Escape reverts it too', async ({ show }) => {
  const page = await show('combobox');
  const area = page.getByRole('combobox', { name: 'Wilayah' });
  await area.fill('atlantis');
  await page.getByText('Tidak ada yang cocok').first().waitFor();
  expect(await page.getByRole('option').count()).toBe(0);
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await area.inputValue()).toBe('Bali'));
  await area.fill('xyz');
  await page.getByRole('heading', { level: 1 }).click();
  await waitFor(async () => expect(await area.inputValue()).toBe('Bali'));
  expect(await textOf(page, 'Area')).toBe('bali');
  await area.fill('papua barat');
  await page.getByRole('heading', { level: 1 }).click();
  await waitFor(async () => expect(await textOf(page, 'Area')).toBe('papua-barat'));
  await area.fill('');
  await page.keyboard.press('Tab');
  await waitFor(async () => expect(await textOf(page, 'Area')).toBe('none'));
});

test('a choice can be cleared by its button, and made by a press on an entry', async ({ show }) => {
  const page = await show('combobox', { width: 390 });
  const area = page.getByRole('combobox', { name: 'Wilayah' });
  await page.getByRole('button', { name: 'Hapus pilihan Wilayah' }).click();
  await waitFor(async () => expect(await textOf(page, 'Area')).toBe('none'));
  expect(await area.evaluate((one) => one === document.activeElement)).toBe(true);
  await area.click();
  await page.getByRole('option', { name: 'Bengkulu' }).click();
  await waitFor(async () => expect(await textOf(page, 'Area')).toBe('bengkulu'));
  expect(await page.getByRole('listbox').count()).toBe(0);
  expect(await area.evaluate((one) => one === document.activeElement)).toBe(true);
});

test('in a dialog Escape closes the list first, and only then the dialog', async ({ show }) => {
  const page = await show('combobox');
  await page.getByRole('button', { name: 'Ubah alamat' }).click();
  const dialog = page.getByRole('dialog', { name: 'Alamat' });
  const field = dialog.getByRole('combobox', { name: 'Provinsi tujuan' });
  await field.fill('jawa');
  const list = dialog.getByRole('listbox');
  await list.waitFor();
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await list.count()).toBe(0));
  expect(await dialog.isVisible()).toBe(true);
  await field.fill('jawa te');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  expect(await textOf(page, 'Destination')).toBe('jawa-tengah');
});
