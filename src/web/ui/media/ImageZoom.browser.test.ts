import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const states = (page: Page) => page.getByLabel('States of the zoom').textContent();
const now = async (page: Page) => (await states(page))?.split(' ').at(-1);
const picture = (page: Page) => page.getByRole('img', { name: 'Kue lapis di atas piring' }).first();
const expand = (page: Page) =>
  page.getByRole('button', { name: 'Perbesar gambar: Kue lapis di atas piring' });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Kue lapis di atas piring' });
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

async function swipe(page: Page, down: number, fingers = 1): Promise<void> {
  const wire = await page.context().newCDPSession(page);
  const points = (y: number) =>
    Array.from({ length: fingers }, (_, id) => ({ x: 150 + id * 60, y, id }));
  await wire.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(300) });
  await wire.send('Input.dispatchTouchEvent', {
    type: 'touchMove',
    touchPoints: points(300 + down),
  });
  await wire.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await wire.detach();
}

test('a picture opens and closes by keys alone, through its four states', async ({ show }) => {
  const page = await show('image-zoom', { width: 1440 });
  await expand(page).focus();
  await page.keyboard.press('Enter');
  await dialog(page).waitFor();
  await waitFor(async () => expect(await now(page)).toBe('LOADED'));
  expect(await page.getByRole('button', { name: 'Perkecil gambar' }).isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await now(page)).toBe('UNLOADED'));
  expect(await states(page)).toBe('UNLOADED LOADING LOADED UNLOADING UNLOADED');
  expect(await focused(page)).toBe('Perbesar gambar: Kue lapis di atas piring');
  expect(await dialog(page).count()).toBe(0);

  await page.keyboard.press(' ');
  await waitFor(async () => expect(await now(page)).toBe('LOADED'));
  expect(await focused(page)).toBe('Perkecil gambar');
  await page.keyboard.press('Enter');
  await waitFor(async () => expect(await now(page)).toBe('UNLOADED'));
  expect(await focused(page)).toBe('Perbesar gambar: Kue lapis di atas piring');
});

test('a picture reopened while it closes stays open', async ({ show }) => {
  const page = await show('image-zoom', { width: 1440 });
  await expand(page).press('Enter');
  await waitFor(async () => expect(await now(page)).toBe('LOADED'));
  await page.evaluate(() => {
    const { close } = HTMLDialogElement.prototype;
    HTMLDialogElement.prototype.close = function closeAndOpen() {
      HTMLDialogElement.prototype.close = close;
      close.call(this);
      // Before the browser's close event.
      queueMicrotask(() => document.querySelector<HTMLElement>('[data-rmiz-btn-zoom]')?.click());
    };
  });
  await page.keyboard.press('Escape');
  await waitFor(async () =>
    expect(await states(page)).toBe('LOADED UNLOADING UNLOADED LOADING LOADED'),
  );
  expect(await dialog(page).isVisible()).toBe(true);
});

test('the backdrop, the picture and the wheel close it; the wheel with Ctrl does not', async ({
  show,
}) => {
  const page = await show('image-zoom', { width: 1440 });
  await expand(page).waitFor({ state: 'attached' });
  for (const close of [
    () => page.mouse.click(8, 450),
    () => page.mouse.click(720, 450),
    () => page.mouse.wheel(0, 40),
    () => page.getByRole('button', { name: 'Perkecil gambar' }).click(),
  ]) {
    await picture(page).click();
    await waitFor(async () => expect(await now(page)).toBe('LOADED'));
    await page.mouse.move(8, 450);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 40);
    await page.keyboard.up('Control');
    await waitFor(async () => expect(await dialog(page).isVisible()).toBe(true));
    await close();
    await waitFor(async () => expect(await now(page)).toBe('UNLOADED'));
    expect(await focused(page)).toBe('Perbesar gambar: Kue lapis di atas piring');
  }
});

test('a vertical swipe of more than 10 px closes it; two fingers are left to the browser', async ({
  show,
}) => {
  const page = await show('image-zoom', { width: 390 });
  await expand(page).waitFor({ state: 'attached' });
  await picture(page).tap();
  await waitFor(async () => expect(await now(page)).toBe('LOADED'));
  await swipe(page, 60, 2);
  expect(await dialog(page).isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await now(page)).toBe('UNLOADED'));

  await picture(page).tap();
  await waitFor(async () => expect(await now(page)).toBe('LOADED'));
  await swipe(page, 10);
  expect(await dialog(page).isVisible()).toBe(true);
  await swipe(page, 40);
  await waitFor(async () => expect(await now(page)).toBe('UNLOADED'));
});

test('it works without animation, in a dialog, disabled, and with its own texts', async ({
  show,
}) => {
  const page = await show('image-zoom', { width: 390, still: true });
  await page.getByRole('button', { name: 'Expand image: A slice of cake' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Minimize image' }).press('Enter');
  await waitFor(async () => expect(await page.getByRole('dialog').count()).toBe(0));

  await page.getByRole('img', { name: 'Kue yang tetap kecil' }).first().click();
  await waitFor(async () => expect(await page.getByRole('dialog').count()).toBe(0));

  await page.getByRole('button', { name: 'Open the dialog' }).click();
  const outer = page.getByRole('dialog', { name: 'Bukti transfer', exact: true });
  await page.getByRole('button', { name: 'Expand image: Bukti transfer BCA' }).press('Enter');
  const inner = page.getByRole('dialog', { name: 'Bukti transfer BCA' });
  await inner.waitFor();
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await inner.count()).toBe(0));
  expect(await outer.isVisible()).toBe(true);
  expect(await focused(page)).toBe('Expand image: Bukti transfer BCA');
});
