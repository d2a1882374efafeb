import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a code is digits only, is reported once when complete, and can be pasted with other text', async ({
  show,
}) => {
  const page = await show('otp-field', { width: 390 });
  const field = page.getByRole('textbox', { name: 'Kode verifikasi' });
  const code = page.getByLabel('Code', { exact: true });
  const whole = page.getByLabel('Whole codes');
  expect(await field.getAttribute('autocomplete')).toBe('one-time-code');
  expect(await field.getAttribute('inputmode')).toBe('numeric');
  await field.focus();
  await page.keyboard.type('12a3 4');
  await waitFor(async () => expect(await code.textContent()).toBe('1234'));
  expect(await whole.textContent()).toBe('');
  await page.keyboard.type('567');
  await waitFor(async () => expect(await code.textContent()).toBe('123456'));
  expect(await whole.textContent()).toBe('123456');
  await field.evaluate((one) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', 'Kode Kabari Anda: 654 321. Berlaku 5 menit.');
    one.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  });
  expect(await code.textContent()).toBe('654321');
  expect(await whole.textContent()).toBe('123456 654321');
});
