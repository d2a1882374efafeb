import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { inspection } from '#tests/journeys/browser/axe.ts';
import { isFocused } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const box = (page: Page, name: string) =>
  page.getByRole('textbox', { name: `Tulis keterangan untuk ${name}` });
const words = (page: Page) => page.getByRole('textbox', { name: 'Tulis pesan', exact: true });
const file = (page: Page, name: string | RegExp) => page.getByRole('radio', { name });
const files = (page: Page) => page.getByRole('radiogroup', { name: 'Lampiran yang akan dikirim' });
const sent = (page: Page) => page.getByLabel('Sent').textContent();
const pdf = (name: string) => ({
  name,
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4'),
});
const choose = (page: Page, ...names: string[]) =>
  page.getByLabel('Dokumen').setInputFiles(names.map(pdf));

test('each file has its own caption, written by the keyboard alone; the first takes the text of the box', async ({
  show,
}) => {
  const page = await show('attachments', { width: 390, own: true });
  const { faults, look } = inspection();
  await words(page).fill('Menu bulan ini');
  await choose(page, 'menu.pdf', 'harga.pdf');
  await box(page, 'menu.pdf').waitFor();
  expect(await box(page, 'menu.pdf').inputValue()).toBe('Menu bulan ini');
  expect(await isFocused(page, box(page, 'menu.pdf'))).toBe(true);
  await look(page, 'files with captions');

  for (let at = 0; at < 20 && !(await isFocused(page, file(page, /^menu/))); at++)
    await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowRight');
  expect(await file(page, /^harga/).isChecked()).toBe(true);
  await page.keyboard.press('Enter');
  expect(await isFocused(page, box(page, 'harga.pdf'))).toBe(true);
  expect(await box(page, 'harga.pdf').inputValue()).toBe('');
  await page.keyboard.type('Harga mulai Senin');
  expect(await file(page, 'menu.pdf Menu bulan ini').isChecked()).toBe(false);
  await page.keyboard.press('Enter');
  expect(await sent(page)).toBe('menu.pdf: Menu bulan ini, harga.pdf: Harga mulai Senin');
  expect(await files(page).count()).toBe(0);
  expect(await words(page).inputValue()).toBe('');
  expect(faults).toEqual([]);
});

test('files and captions survive a reload; removing the last one keeps its caption', async ({
  show,
}) => {
  const page = await show('attachments', { width: 1440, own: true });
  await choose(page, 'menu.pdf', 'harga.pdf');
  await box(page, 'menu.pdf').fill('Menu');
  await file(page, /^harga/).click();
  await waitFor(async () => expect(await isFocused(page, box(page, 'harga.pdf'))).toBe(true));
  await page.keyboard.type('Harga');
  await page.reload();
  await file(page, 'menu.pdf Menu').waitFor();
  await file(page, 'harga.pdf Harga').waitFor();
  await choose(page, 'alamat.pdf');
  await box(page, 'alamat.pdf').waitFor();
  await page.getByRole('button', { name: 'Hapus alamat.pdf' }).click();
  await box(page, 'harga.pdf').waitFor();
  await page.getByRole('button', { name: 'Hapus menu.pdf' }).click();
  expect(await box(page, 'harga.pdf').inputValue()).toBe('Harga');
  await page.getByRole('button', { name: 'Hapus harga.pdf' }).click();
  expect(await isFocused(page, words(page))).toBe(true);
  expect(await words(page).inputValue()).toBe('Harga');
  await page.reload();
  await waitFor(async () => expect(await words(page).inputValue()).toBe('Harga'));
  expect(await files(page).count()).toBe(0);
  await words(page).fill('');
});

test('a caption that is too long blocks sending, and is selected', async ({ show }) => {
  const page = await show('attachments', { width: 1440, own: true });
  await words(page).fill('a'.repeat(41));
  await choose(page, 'menu.pdf', 'harga.pdf');
  await page.getByText('Terlalu panjang. Pendekkan sampai paling banyak 40 karakter.').waitFor();
  await file(page, /^harga/).click();
  await file(page, 'menu.pdf Keterangan terlalu panjang').waitFor();
  await box(page, 'harga.pdf').press('Enter');
  await waitFor(async () => expect(await box(page, 'menu.pdf').inputValue()).toHaveLength(41));
  expect(await sent(page)).toBe('');
  await box(page, 'menu.pdf').fill('Menu');
  await page.keyboard.press('Enter');
  expect(await sent(page)).toBe('menu.pdf: Menu, harga.pdf: ');
});
