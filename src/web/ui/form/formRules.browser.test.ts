import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { test } from '#tests/support/gallery.ts';

test('a form reports every wrong field, focuses the first, and submits by keys when valid', async ({
  show,
}) => {
  const page = await show('form-rules', { width: 390 });
  const form = page.getByRole('form', { name: 'Daftarkan cabang' });
  const sent = page.getByLabel('Sent', { exact: true });
  const shop = form.getByRole('textbox', { name: 'Nama cabang' });
  await shop.focus();
  await page.keyboard.press('Enter');
  for (const sentence of [
    'Tulis nama usaha Anda.',
    'Pilih kota.',
    'Tulis jumlahnya.',
    'Pilih minimal satu hari.',
    'Setujui syaratnya untuk melanjutkan.',
  ]) {
    await form.getByText(sentence).waitFor();
  }
  expect(await sent.textContent()).toBe('nothing');
  expect(await shop.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(await shop.getAttribute('required')).not.toBeNull();

  await page.keyboard.type('Ko');
  await form.getByText('Nama usaha minimal 3 karakter.').waitFor();
  await page.keyboard.type('pi Senja');
  await waitFor(async () => expect(await shop.getAttribute('aria-invalid')).toBeNull());
  await page.keyboard.press('Tab');
  await page.keyboard.type('KB-000');
  await page.keyboard.press('Tab');
  await form.getByText('Kode ini sudah tidak berlaku.').waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.type('kb1');
  await form.getByText('Tulis seperti KB-123.').waitFor();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await form.getByText('Bila ada.').waitFor();

  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.type('9k');
  await form.getByText('Minimal Rp 10.000.').waitFor();
  await page.keyboard.type('0');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await waitFor(async () =>
    expect(await form.getByRole('combobox', { name: 'Tutup' }).inputValue()).toBe('00:00:00'),
  );
  await shop.focus();
  await page.keyboard.press('Enter');
  await form.getByText('Tutup harus setelah buka.').waitFor();
});

test('the first wrong field of any kind takes the focus, and a valid form is sent', async ({
  show,
}) => {
  const page = await show('form-rules');
  const form = page.getByRole('form', { name: 'Daftarkan cabang' });
  const submit = form.getByRole('button', { name: 'Daftarkan' });
  await form.getByRole('textbox', { name: 'Nama cabang' }).fill('Kopi Senja');
  await form.getByRole('combobox', { name: 'Kota' }).selectOption('Bandung');
  await form.getByRole('textbox', { name: 'Modal kas (rupiah)' }).fill('50k');
  await submit.click();
  const monday = form.getByRole('checkbox', { name: 'Senin' });
  await waitFor(async () =>
    expect(await monday.evaluate((one) => one === document.activeElement)).toBe(true),
  );
  await page.keyboard.press('Space');
  const agree = form.getByRole('checkbox', { name: 'Saya menyetujui syarat cabang' });
  await submit.click();
  await waitFor(async () =>
    expect(await agree.evaluate((one) => one === document.activeElement)).toBe(true),
  );
  await page.keyboard.press('Space');
  await submit.click();
  const sent = page.getByLabel('Sent', { exact: true });
  await waitFor(async () => expect(await sent.textContent()).toContain('"shop":"Kopi Senja"'));
  expect(JSON.parse((await sent.textContent()) ?? '')).toMatchObject({
    city: 'Bandung',
    amount: 50_000,
    days: ['Senin'],
    agree: true,
  });
});
