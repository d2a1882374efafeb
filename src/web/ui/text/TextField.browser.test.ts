import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';

test('a text field has a height for each size, a name, and a linked help or error', async ({
  show,
}) => {
  const page = await show('text-field');
  const heights = { sm: 32, md: 40, lg: 44, xl: 52 };
  for (const [size, height] of Object.entries(heights)) {
    const box = page.getByRole('textbox', { name: `Nama, ${size}` }).locator('..');
    expect((await boxOf(box)).height).toBe(height);
  }
  const shop = page.getByRole('textbox', { name: 'Nama usaha', exact: true });
  expect(await shop.getAttribute('required')).not.toBeNull();
  expect(await description(shop)).toBe('Tampil pada tagihan Anda.');
  const star = page.locator('label', { hasText: /^Nama usaha$/ }).locator('[aria-hidden]');
  expect(await star.evaluate((one) => getComputedStyle(one, '::before').content)).toContain('*');

  const email = page.getByRole('textbox', { name: 'Alamat email' });
  expect(await email.getAttribute('aria-invalid')).toBe('true');
  expect(await description(email)).toBe('Lengkapi alamat email Anda.');
  await email.fill('melati@toko.example');
  expect(await email.getAttribute('aria-invalid')).toBeNull();
  expect(await description(email)).toBe('Untuk tanda terima.');
});

test('prefix and suffix are not in the value; clearing returns the focus to the field', async ({
  show,
}) => {
  const page = await show('text-field', { width: 390 });
  const limit = page.getByRole('textbox', { name: 'Batas harian' });
  expect(await limit.inputValue()).toBe('1000');
  expect(await description(limit)).toBe('pesan Pesan di atas batas ini ditolak.');

  const search = page.getByRole('searchbox', { name: 'Cari pelanggan' });
  const clear = page.getByRole('button', { name: 'Hapus isian Cari pelanggan' });
  expect((await boxOf(clear)).width).toBeGreaterThanOrEqual(44);
  await search.focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Search', { exact: true }).textContent()).toBe('');
  expect(await search.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(await clear.count()).toBe(0);
});

test('an area counts its characters, and announces them only near its limit', async ({ show }) => {
  const page = await show('text-area');
  const area = page.getByRole('textbox', { name: 'Isi pesan' });
  const state = page.getByRole('region', { name: 'With a counter' });
  await area.fill('Halo');
  await state.getByText('4 / 60').waitFor();
  expect(await state.getByRole('status').textContent()).toBe('');
  await area.fill('x'.repeat(45));
  expect(await state.getByRole('status').textContent()).toBe('Tersisa kurang dari 20 karakter.');
  await area.press('End');
  await area.pressSequentially('y'.repeat(20));
  expect(await area.inputValue()).toHaveLength(65);
  expect(await state.getByRole('status').textContent()).toBe('Kelebihan kurang dari 10 karakter.');
  for (let more = 0; more < 5; more += 1) await area.press('Backspace');
  expect(await state.getByRole('status').textContent()).toBe('Batas 60 karakter tercapai.');

  const notes = page.getByRole('textbox', { name: 'Catatan' });
  await notes.fill('Titip di pos satpam');
  await page.getByText('19 / 1.000').waitFor();
});

test('text pasted beyond the limit stays in the field, and is reported as too long', async ({
  show,
}) => {
  const sentence = 'Terlalu panjang. Pendekkan sampai paling banyak 20 karakter.';
  const page = await show('text-field', { width: 390 });
  const name = page.getByRole('textbox', { name: 'Nama token' });
  await paste(name, 'x'.repeat(500));
  expect(await name.inputValue()).toHaveLength(500);
  expect(await name.getAttribute('aria-invalid')).toBe('true');
  expect(await description(name)).toBe(sentence);
  await page.getByText('500 / 20').waitFor();
  await name.fill('Kasir');
  expect(await name.getAttribute('aria-invalid')).toBe(null);
  expect(await page.getByText('5 / 20').count()).toBe(0);

  const areas = await show('text-area', { width: 390 });
  const area = areas.getByRole('textbox', { name: 'Isi pesan' });
  await paste(area, 'y'.repeat(5_000));
  expect(await area.inputValue()).toHaveLength(5_000);
  await areas.getByText('5.000 / 60').waitFor();
});

/** Replaces a field's text as pasting does: the browser's own limits apply. */
const paste = (field: Locator, text: string): Promise<void> =>
  field.evaluate((one, pasted) => {
    (one as HTMLInputElement).select();
    document.execCommand('insertText', false, pasted);
  }, text);

type Described = { evaluate: (look: (one: Element) => string) => Promise<string> };

const description = (field: Described): Promise<string> =>
  field.evaluate((one) =>
    (one.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '?')
      .join(' '),
  );
