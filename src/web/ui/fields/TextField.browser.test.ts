import { expect } from 'vitest';
import { boxOf, test } from '#tests/gallery.ts';

test('a text field has a height for each size, a name, a help or an error that is tied to it', async ({
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

test('what stands before and after the text is not in the value; clearing goes back into the field', async ({
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

test('an area counts its characters, and tells ears only when the room is nearly used up', async ({
  show,
}) => {
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
  expect(await area.inputValue()).toHaveLength(60);
  expect(await state.getByRole('status').textContent()).toBe('Batas 60 karakter tercapai.');

  const notes = page.getByRole('textbox', { name: 'Catatan' });
  await notes.fill('Titip di pos satpam');
  await page.getByText('19 / 1.000').waitFor();
});

type Described = { evaluate: (look: (one: Element) => string) => Promise<string> };

/** What is read out after the name of a field. */
const description = (field: Described): Promise<string> =>
  field.evaluate((one) =>
    (one.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '?')
      .join(' '),
  );
