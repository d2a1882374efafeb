import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('tools show and hide by the keyboard alone, and close on navigation', async ({ show }) => {
  const page = await show('disclosure', { width: 390 });
  const toggle = page.getByRole('button', { name: 'Alat contoh' });
  const tool = page.getByRole('button', { name: 'Selesai memilih' });
  const hasFocus = () => toggle.evaluate((one) => one === document.activeElement);
  await toggle.press('Space');
  await waitFor(async () => expect(await tool.isVisible()).toBe(true));
  await tool.press('Escape');
  await waitFor(async () => expect(await tool.isVisible()).toBe(false));
  expect(await hasFocus()).toBe(true);

  await toggle.press('Enter');
  await tool.press('Enter');
  await waitFor(async () => expect(await tool.isVisible()).toBe(false));
  expect(await hasFocus()).toBe(true);

  await page.evaluate(() => window.history.pushState(null, '', '/__galeri/disclosure/'));
  await page.evaluate(() => window.history.pushState(null, '', '/__galeri/disclosure'));
  await toggle.press('Enter');
  await waitFor(async () => expect(await toggle.getAttribute('aria-expanded')).toBe('true'));
  await page.goBack();
  await waitFor(async () => expect(await toggle.getAttribute('aria-expanded')).toBe('false'));
});
