import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('five entries fit the bar; of six it has the first four, and a sheet with the others', async ({
  show,
}) => {
  const page = await show('bottom-bar', { width: 390 });
  const five = page.getByRole('navigation', { name: 'Menu lima' });
  expect(await five.getByRole('link').count()).toBe(5);
  expect(await five.getByRole('button').count()).toBe(0);
  expect(await five.locator('[aria-current=page]').allTextContents()).toEqual(['Tagihan']);

  const six = page.getByRole('navigation', { name: 'Menu enam' });
  expect(await six.getByRole('listitem').count()).toBe(5);
  expect(await six.locator('[aria-current=page]').count()).toBe(0);
  const more = six.getByRole('button', { name: 'Lainnya' });
  expect(await more.getAttribute('aria-expanded')).toBe('false');
  await more.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Lainnya' });
  await sheet.waitFor();
  expect(await sheet.getByRole('link').allTextContents()).toEqual(['Tagihan', 'Layanan Pelanggan']);
  expect(await sheet.locator('[aria-current=page]').allTextContents()).toEqual(['Tagihan']);
  await sheet.getByRole('button', { name: 'Keluar' }).waitFor();
  await page.keyboard.press('Escape');
  await waitFor(async () =>
    expect(await more.evaluate((one) => one === document.activeElement)).toBe(true),
  );

  await more.click();
  await page.setViewportSize({ width: 844, height: 390 });
  await sheet.waitFor({ state: 'detached' });
  expect(await five.isVisible()).toBe(false);
});

test('an entry of the sheet opens its page and closes the sheet', async ({ show }) => {
  const page = await show('bottom-bar', { width: 390 });
  await page.getByRole('button', { name: 'Lainnya' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Layanan Pelanggan' }).click();
  await page.getByRole('heading', { level: 1, name: 'Dropdown' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});
