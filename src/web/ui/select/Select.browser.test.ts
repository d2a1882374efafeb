import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a select starts with a placeholder that cannot be chosen again, and is worked by keys', async ({
  show,
}) => {
  const page = await show('select');
  const bank = page.getByRole('combobox', { name: 'Bank tujuan' });
  const chosen = page.getByLabel('Bank', { exact: true });
  expect(await bank.inputValue()).toBe('');
  expect(await bank.locator('option[value=""]').getAttribute('disabled')).not.toBeNull();
  await bank.focus();
  await page.keyboard.press('ArrowDown');
  await waitFor(async () => expect(await chosen.textContent()).toBe('bca'));
  for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowDown');
  // Mandiri is disabled; the arrows stop before it.
  expect(await chosen.textContent()).toBe('bri');
  await page.keyboard.press('Home');
  await waitFor(async () => expect(await chosen.textContent()).toBe('bca'));

  // An option that cannot be chosen does not make the whole look as if it could not.
  const drawn = (name: string) =>
    page
      .getByRole('combobox', { name })
      .locator('..')
      .evaluate((one) => getComputedStyle(one).backgroundColor);
  expect(await drawn('Bank tujuan')).toBe(await drawn('Status pesan'));
  expect(await drawn('Bank tujuan')).not.toBe(await drawn('Kanal'));

  const wrong = page.getByRole('combobox', { name: 'Bank pengirim' });
  expect(await wrong.getAttribute('aria-invalid')).toBe('true');
  const errorId = await wrong.getAttribute('aria-describedby');
  expect(await page.locator(`[id="${errorId}"]`).textContent()).toBe('Pilih bank pengirim.');
});

test('a list of twelve is a select, one of thirteen is searched by typing', async ({ show }) => {
  const page = await show('select', { width: 390 });
  const few = page.getByLabel('Dua belas token');
  const many = page.getByRole('combobox', { name: 'Tiga belas token' });
  expect(await few.evaluate((one) => one.tagName)).toBe('SELECT');
  await page.locator('input[role="combobox"]').waitFor();
  expect(await many.evaluate((one) => one.tagName)).toBe('INPUT');
  await many.fill('13');
  await page.keyboard.press('Enter');
  await waitFor(async () =>
    expect(await page.getByLabel('Tokens', { exact: true }).textContent()).toBe('tok_1 tok_13'),
  );
});
