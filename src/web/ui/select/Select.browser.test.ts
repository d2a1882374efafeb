import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a select starts with a placeholder that cannot be selected again, and works by keys', async ({
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

  // A disabled option does not make the whole field look disabled.
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

test('selects several options by mouse and keys, and returns the focus on Escape', async ({
  show,
}) => {
  const page = await show('select');
  const button = page.getByRole('button', { name: /^Status kiriman:/ });
  const selected = page.getByLabel('Statuses', { exact: true });
  expect(await button.getAttribute('aria-expanded')).toBe('false');
  expect(await button.innerText()).toBe('Semua status');
  await button.focus();
  await page.keyboard.press('Enter');
  const list = page.getByRole('dialog', { name: 'Status kiriman' });
  const failed = list.getByRole('checkbox', { name: 'Gagal' });
  await waitFor(async () =>
    expect(
      await list
        .getByRole('checkbox', { name: 'Terkirim' })
        .evaluate((one) => one === document.activeElement),
    ).toBe(true),
  );
  await failed.check();
  await waitFor(async () => expect(await selected.textContent()).toBe('failed'));
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Space');
  await waitFor(async () => expect(await selected.textContent()).toBe('sent failed'));
  expect(await button.innerText()).toBe('Terkirim, Gagal');
  await failed.uncheck();
  await waitFor(async () => expect(await selected.textContent()).toBe('sent'));
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
  await button.click();
  await list.waitFor();
  await page.getByRole('combobox', { name: 'Bank tujuan' }).focus();
  await list.waitFor({ state: 'detached' });
});

test('a list of twelve is a select, one of thirteen is searchable', async ({ show }) => {
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
