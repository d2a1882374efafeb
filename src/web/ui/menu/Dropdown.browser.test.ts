import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

const TRIGGER = 'Tindakan token ini';

for (const width of [1440, 390] as const) {
  test(`the keyboard does everything, at ${width} px`, async ({ show }) => {
    const page = await show('dropdown', { width });
    const button = page.getByRole('button', { name: TRIGGER });
    const menu = page.getByRole('menu');
    await button.focus();
    await waitFor(async () => expect(await button.getAttribute('aria-expanded')).toBe('false'));

    for (const [key, entry] of [
      ['Enter', 'Salin kunci'],
      ['Space', 'Salin kunci'],
      ['ArrowDown', 'Salin kunci'],
      ['ArrowUp', 'Hapus token'],
    ] as const) {
      await page.keyboard.press(key);
      await menu.waitFor();
      expect(await focused(page), key).toBe(entry);
      expect(await button.getAttribute('aria-expanded')).toBe('true');
      await page.keyboard.press('Escape');
      await waitFor(async () => expect(await menu.count()).toBe(0));
      expect(await focused(page)).toBe(TRIGGER);
    }

    await page.keyboard.press('ArrowDown');
    const walk: [string, string][] = [
      ['ArrowUp', 'Hapus token'],
      ['ArrowDown', 'Salin kunci'],
      ['ArrowDown', 'Ganti kunci'],
      ['ArrowDown', 'Ubah nama'],
      ['End', 'Hapus token'],
      ['Home', 'Salin kunci'],
    ];
    for (const [key, entry] of walk) {
      await page.keyboard.press(key);
      await waitFor(async () => expect(await focused(page)).toBe(entry));
    }
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await waitFor(async () => expect(await menu.count()).toBe(0));
    expect(await page.getByLabel('Chosen entry').textContent()).toBe('Ganti');
    expect(await focused(page)).toBe(TRIGGER);

    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await waitFor(async () => expect(await menu.count()).toBe(0));
    expect(await focused(page)).toBe('Tombol sesudahnya');
  });
}

test('letters select entries; after half a second a new word begins', async ({ show }) => {
  const page = await show('dropdown', { own: true });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole('button', { name: TRIGGER }).press('Enter');
  await page.keyboard.press('u');
  await waitFor(async () => expect(await focused(page)).toBe('Ubah nama'));
  await page.clock.runFor(501);
  await page.keyboard.press('h');
  await waitFor(async () => expect(await focused(page)).toBe('Hapus token'));
  await page.clock.runFor(501);
  await page.keyboard.press('b');
  await page.clock.runFor(250);
  await page.keyboard.type('uka r');
  await waitFor(async () => expect(await focused(page)).toBe('Buka riwayat'));
  expect(await page.getByRole('menu').count()).toBe(1);
  await page.clock.runFor(501);
  await page.keyboard.press('s');
  await page.clock.runFor(501);
  await page.keyboard.press('Space');
  await waitFor(async () =>
    expect(await page.getByLabel('Chosen entry').textContent()).toBe('Salin kunci'),
  );
});

test('a press outside closes it and restores the focus, unless it is on a control', async ({
  show,
}) => {
  const page = await show('dropdown');
  const button = page.getByRole('button', { name: TRIGGER });
  const menu = page.getByRole('menu');
  await button.click();
  await menu.waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await waitFor(async () => expect(await menu.count()).toBe(0));
  expect(await focused(page)).toBe(TRIGGER);

  await button.click();
  await page.getByRole('button', { name: 'Tombol sesudahnya' }).click();
  await waitFor(async () => expect(await menu.count()).toBe(0));
  expect(await focused(page)).toBe('Tombol sesudahnya');

  await button.click();
  await button.click();
  await waitFor(async () => expect(await menu.count()).toBe(0));

  await button.click();
  const disabled = menu.getByRole('menuitem', { name: 'Putuskan ponsel' });
  await disabled.click({ force: true });
  await waitFor(async () => expect(await menu.count()).toBe(1));
  expect(await page.getByLabel('Chosen entry').textContent()).toBe('nothing yet');
});

test('it is as wide as its button, flips at the bottom, and closes when its button scrolls out of view', async ({
  show,
}) => {
  const page = await show('dropdown', { width: 390 });
  const menu = page.getByRole('menu');
  const box = page.getByRole('group', { name: 'Kotak gulir' });
  const button = box.getByRole('button');
  const sides = async () => {
    const [anchor, floating] = [await boxOf(button), await boxOf(menu)];
    return { anchor, floating };
  };
  await button.evaluate((one) => one.scrollIntoView({ block: 'start' }));
  await button.press('ArrowDown');
  await waitFor(async () =>
    expect((await sides()).floating.y > (await sides()).anchor.y).toBe(true),
  );
  const { anchor, floating } = await sides();
  expect(floating.width).toBeGreaterThanOrEqual(anchor.width - 1);

  await box.evaluate((one) => one.scrollBy(0, 10));
  await waitFor(async () => {
    const now = await sides();
    expect(Math.round(now.floating.y - now.anchor.y - now.anchor.height)).toBe(4);
  });
  await box.evaluate((one) => one.scrollTo(0, 500));
  await menu.waitFor({ state: 'detached' });
  expect(await focused(page)).toContain('lebih lebar');

  await box.evaluate((one) => one.scrollTo(0, 0));
  await page.setViewportSize({ width: 390, height: 500 });
  await button.evaluate((one) => one.scrollIntoView({ block: 'end' }));
  await page.evaluate(() => window.scrollBy(0, 8));
  await button.press('ArrowDown');
  await menu.waitFor();
  const flipped = await sides();
  const view = await page.evaluate(() => window.innerHeight);
  const below = view - flipped.anchor.y - flipped.anchor.height;
  expect(below).toBeLessThan(flipped.floating.height);
  expect(flipped.floating.y).toBeLessThan(flipped.anchor.y);
  expect(flipped.floating.y).toBeGreaterThanOrEqual(0);
  expect(flipped.floating.y + flipped.floating.height).toBeLessThanOrEqual(view);
});

test('a menu opens a dialog, which restores the focus to its button; menus work in dialogs', async ({
  show,
}) => {
  const page = await show('dropdown');
  const name = 'Tindakan untuk Kasir Malioboro';
  const button = page.getByRole('button', { name });
  await button.click();
  await page.getByRole('menuitem', { name: 'Buka dialog' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Menu di dalam dialog' }).click();
  await dialog.getByRole('menu').waitFor();
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await dialog.getByRole('menu').count()).toBe(0));
  expect(await dialog.count()).toBe(1);
  await dialog.getByRole('button', { name: 'Menu di dalam dialog' }).click();
  await dialog.getByRole('menuitem', { name: 'Terima' }).click();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(await page.getByLabel('Chosen entry').textContent()).toBe('Terima');
});

test('Enter follows an entry that is a link', async ({ show }) => {
  const page = await show('dropdown');
  await page.getByRole('button', { name: TRIGGER }).press('ArrowDown');
  const link = page.getByRole('menuitem', { name: 'Buka riwayat' });
  expect(await link.getAttribute('href')).toBe('/__galeri/tabs');
  await page.keyboard.press('b');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Tabs' }).waitFor();
});
