import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a time select offers 24 or 48 times; its value is HH:MM:SS, shown without seconds', async ({
  show,
}) => {
  const page = await show('time-select', { width: 390 });
  const hour = page.getByRole('combobox', { name: 'Jam kirim' });
  const half = page.getByRole('combobox', { name: 'Waktu kirim' });
  const offered = 'option:not([disabled])';
  expect(await hour.locator(offered).count()).toBe(24);
  expect(await half.locator(offered).count()).toBe(48);
  expect(await half.inputValue()).toBe('09:30:00');
  await hour.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  await waitFor(async () =>
    expect(await page.getByLabel('Hour', { exact: true }).textContent()).toBe('22:00:00'),
  );
  expect(await hour.locator('option:checked').textContent()).toBe('22.00');
  await half.focus();
  await page.keyboard.press('End');
  await waitFor(async () =>
    expect(await page.getByLabel('Half hour', { exact: true }).textContent()).toBe('23:30:00'),
  );

  const odd = page.getByRole('combobox', { name: 'Waktu laporan' });
  expect(await odd.locator('option:checked').textContent()).toBe('09.15');
  const pickup = page.getByRole('combobox', { name: 'Waktu ambil' });
  expect(await pickup.locator(offered).count()).toBe(10);
});
