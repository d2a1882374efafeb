import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';

test('an emoji is found by Indonesian words and inserted by Enter', async ({ show }) => {
  const page = await show('emoji-picker');
  const picker = page.getByRole('region', { name: 'In the page' });
  await picker.getByRole('searchbox', { name: 'Cari emoji' }).fill('jempol ke atas');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Picked emoji').textContent()).toBe('👍');
  await picker.getByRole('searchbox', { name: 'Cari emoji' }).fill('tidakadasamasekali');
  await picker.getByText('Tidak ada emoji untuk kata itu.').waitFor();
});

test('arrows move in the grid, which has one tab stop', async ({ show }) => {
  const page = await show('emoji-picker');
  const picker = page.getByRole('region', { name: 'In the page' });
  await picker.getByRole('button', { name: 'Hewan dan alam' }).click();
  await picker.getByRole('searchbox', { name: 'Cari emoji' }).press('ArrowDown');
  const name = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  expect(await name()).toBe('wajah monyet');
  await page.keyboard.press('ArrowRight');
  expect(await name()).toBe('monyet');
  await page.keyboard.press('Home');
  expect(await name()).toBe('wajah monyet');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Picked emoji').textContent()).not.toBe('');
  const grid = picker.getByRole('group', { name: 'Hewan dan alam' });
  expect(await grid.locator('[tabindex="0"]').count()).toBe(1);
});

test('a skin tone is remembered, and recent emoji come first the next time', async ({ show }) => {
  const page = await show('emoji-picker', { own: true });
  const picker = page.getByRole('region', { name: 'In the page' });
  await picker.getByRole('button', { name: 'Warna kulit gelap', exact: true }).click();
  await picker.getByRole('searchbox', { name: 'Cari emoji' }).fill('tangan melambai');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Picked emoji').textContent()).toBe('👋🏿');
  const opener = page
    .getByRole('region', { name: 'Behind its button' })
    .getByRole('button', { name: 'Emoji' });
  await opener.click();
  const opened = page.getByRole('dialog', { name: 'Pilih emoji' });
  await opened.getByRole('group', { name: 'Terakhir dipakai' }).getByText('👋🏿').click();
  expect(await page.getByLabel('Written emoji').textContent()).toBe('👋🏿');
  await page.keyboard.press('Escape');
  await opened.waitFor({ state: 'detached' });
  expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);
});
