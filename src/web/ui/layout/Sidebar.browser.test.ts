import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('every entry is a link, the current one is marked, and folders open', async ({ show }) => {
  const page = await show('sidebar');
  const menu = page.getByRole('navigation', { name: 'Menu contoh' });
  const current = menu.locator('[aria-current=page]');
  expect(await current.allTextContents()).toEqual(['Pengguna']);
  const folder = menu.getByRole('button', { name: 'Pengaturan' });
  expect(await folder.getAttribute('aria-expanded')).toBe('true');
  await folder.press('Enter');
  await waitFor(async () => expect(await folder.getAttribute('aria-expanded')).toBe('false'));
  expect(await menu.getByRole('link', { name: 'Pengguna' }).count()).toBe(0);

  const archive = menu.getByRole('button', { name: 'Arsip' });
  const id = await archive.getAttribute('aria-controls');
  await archive.press('Space');
  await page.locator(`[id="${id}"]`).getByRole('link', { name: 'Tagihan lama' }).waitFor();
  const links = menu.getByRole('link');
  const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(hrefs).toEqual([
    '/__galeri',
    '/__galeri/chat-message',
    '/__galeri/tabs',
    '/__galeri/dropdown',
  ]);
  await links.nth(2).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Tabs' }).waitFor();
});

test('it collapses to 64 px of icons with tooltips', async ({ show }) => {
  const page = await show('sidebar');
  const menu = page.getByRole('navigation', { name: 'Menu contoh' });
  const widthOf = async () => Math.round((await boxOf(menu)).width);
  expect(await widthOf()).toBe(248);
  await menu.getByRole('button', { name: 'Ciutkan menu' }).press('Enter');
  await waitFor(async () => expect(await widthOf()).toBe(64));
  expect(await page.getByLabel('Chosen width').textContent()).toBe('icons');
  const toggle = menu.getByRole('button', { name: 'Bentangkan menu' });
  expect(await toggle.getAttribute('aria-expanded')).toBe('false');
  expect(await toggle.evaluate((one) => one === document.activeElement)).toBe(true);

  const tip = page.locator('[popover]:popover-open');
  await page.keyboard.press('Tab');
  await waitFor(async () => expect(await tip.textContent()).toBe('Beranda'));
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await tip.count()).toBe(0));
  await menu.getByRole('link', { name: 'Token' }).hover();
  await waitFor(async () => expect(await tip.allTextContents()).toEqual(['Token']));
  const [link, words] = [await boxOf(menu.getByRole('link', { name: 'Token' })), await boxOf(tip)];
  expect(words.x).toBeGreaterThanOrEqual(link.x + link.width);
  await tip.hover();
  await waitFor(async () => expect(await tip.count()).toBe(1));
  await page.mouse.move(700, 600);
  await tip.waitFor({ state: 'detached' });
});

test('without a choice it is icons below 1024 px, and gives way to the bar of phones', async ({
  show,
}) => {
  const page = await show('sidebar');
  const menu = page.getByRole('navigation', { name: 'Menu contoh' });
  await page.setViewportSize({ width: 900, height: 800 });
  await waitFor(async () => expect(Math.round((await boxOf(menu)).width)).toBe(64));
  await page.setViewportSize({ width: 700, height: 800 });
  expect(await menu.isVisible()).toBe(false);
});
