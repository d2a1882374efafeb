import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: one } = document;
    return (one?.getAttribute('aria-label') ?? one?.textContent ?? '').trim();
  });

const sheetOf = (page: Page) => boxOf(page.getByRole('dialog').locator(':scope > div').first());

test('its sizes are 360, 560, 760 and 1000 px', async ({ show }) => {
  const page = await show('modal', { still: true });
  for (const [size, width] of Object.entries({ sm: 360, md: 560, lg: 760, xl: 1000 })) {
    await page.getByRole('button', { name: `Open ${size}` }).click();
    expect((await sheetOf(page)).width).toBe(width);
    await page.keyboard.press('Escape');
    await waitFor(async () => expect(await page.getByRole('dialog').count()).toBe(0));
  }
});

test('below 480 px a modal fills the screen, and a sheet slides in from the bottom', async ({
  show,
}) => {
  const page = await show('modal', { width: 390, still: true });
  const view = page.viewportSize() ?? { width: 0, height: 0 };
  await page.getByRole('button', { name: 'Open sm' }).click();
  await waitFor(async () => expect(await sheetOf(page)).toEqual({ x: 0, y: 0, ...view }));
  await page.getByRole('button', { name: 'Simpan' }).click();
  await page.getByRole('button', { name: 'Open a sheet' }).click();
  const sheet = await sheetOf(page);
  expect(sheet.width).toBe(view.width);
  expect(sheet.height).toBeLessThan(view.height / 2);
  expect(sheet.y + sheet.height).toBe(view.height);
});

for (const width of [1440, 390] as const) {
  test(`the focus moves in, is trapped, and is restored, at ${width} px`, async ({ show }) => {
    const page = await show('modal', { width });
    const opener = page.getByRole('button', { name: 'Open with a chosen start' });
    await opener.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Cari pesan' });
    await dialog.waitFor();
    expect(await dialog.getByLabel('Kepada').evaluate((one) => one.matches(':focus'))).toBe(true);
    for (let step = 0; step < 6; step++) {
      await page.keyboard.press('Tab');
      const inside = await page.evaluate(
        () =>
          document.activeElement === document.body || !!document.activeElement?.closest('dialog'),
      );
      expect(inside).toBe(true);
    }
    await page.keyboard.press('Escape');
    await waitFor(async () => expect(await focused(page)).toBe('Open with a chosen start'));

    await page.getByRole('button', { name: 'Open md' }).press('Enter');
    await waitFor(async () => expect(await focused(page)).toBe('Tutup'));
    await page.keyboard.press('Enter');
    await waitFor(async () => expect(await focused(page)).toBe('Open md'));
    expect(await page.getByLabel('Closed dialog').textContent()).toBe('size md');
  });
}

test('a press on the backdrop closes it; a drag that ends there does not', async ({ show }) => {
  const page = await show('modal', { still: true });
  const dialog = page.getByRole('dialog');
  const closed = page.getByLabel('Closed dialog');
  await page.getByRole('button', { name: 'Open sm' }).click();
  const box = await sheetOf(page);
  await page.mouse.move(box.x + 40, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x - 80, box.y + 30);
  await page.mouse.up();
  await waitFor(async () => expect(await dialog.count()).toBe(1));

  const behind = await boxOf(page.getByRole('button', { name: 'Open xl' }));
  const x = behind.x + 5;
  const y = behind.y + 5;
  const onBackdrop = await page.evaluate(
    ([left = 0, top = 0]) => document.elementFromPoint(left, top)?.tagName,
    [x, y],
  );
  expect(onBackdrop).toBe('DIALOG');
  await page.mouse.move(x, y);
  await page.mouse.down();
  await waitFor(async () => expect(await dialog.count()).toBe(0));
  await page.mouse.up();
  await waitFor(async () => expect(await dialog.count()).toBe(0));
  expect(await closed.textContent()).toBe('size sm');
  expect(await focused(page)).toBe('Open sm');
});

test('a tap on the backdrop closes it and reaches nothing behind', async ({ show }) => {
  const page = await show('modal', { width: 390, still: true });
  await page.getByRole('button', { name: 'Open a sheet' }).click();
  const heading = page.getByRole('dialog').getByRole('heading');
  await heading.waitFor();
  const behind = await boxOf(page.getByRole('button', { name: 'Open md' }));
  await page.touchscreen.tap(behind.x + 10, behind.y + 10);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Closed dialog').textContent()).toBe('shape sheet');
  expect(await focused(page)).toBe('Open a sheet');
});

test('dialogs stack: each Escape closes one, and the focus returns step by step', async ({
  show,
}) => {
  const page = await show('modal');
  await page.getByRole('button', { name: 'Open the outer dialog' }).press('Enter');
  await page.getByRole('button', { name: 'Open the inner dialog' }).press('Enter');
  const inner = page.getByRole('dialog', { name: 'Dialog dalam' });
  await inner.waitFor();
  expect(await page.getByRole('dialog').count()).toBeGreaterThanOrEqual(1);
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await inner.count()).toBe(0));
  expect(await focused(page)).toBe('Open the inner dialog');
  expect(await page.getByRole('dialog', { name: 'Dialog luar' }).count()).toBe(1);
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await page.getByRole('dialog').count()).toBe(0));
  expect(await focused(page)).toBe('Open the outer dialog');
});

test('the page behind does not scroll or shift', async ({ show }) => {
  const page = await show('modal');
  const places = () =>
    page.evaluate(() => {
      const rect = document.querySelector('h1')?.getBoundingClientRect();
      const main = document.querySelector('main')?.getBoundingClientRect();
      return [rect?.x, rect?.width, main?.x, main?.width];
    });
  await page.evaluate(() => window.scrollTo(0, 40));
  const before = { places: await places(), scrolled: await page.evaluate(() => window.scrollY) };
  await page.getByRole('button', { name: 'Open a long text' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await places()).toEqual(before.places);
  await page.mouse.move(20, 300);
  await page.mouse.wheel(0, 400);
  await waitFor(async () =>
    expect(await page.evaluate(() => window.scrollY)).toBe(before.scrolled),
  );
  const reach = await page
    .getByRole('dialog')
    .evaluate((one) => one.getBoundingClientRect().right - window.innerWidth);
  expect(reach).toBe(0);
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await places()).toEqual(before.places));
  expect(await page.evaluate(() => document.documentElement.hasAttribute('data-locked'))).toBe(
    false,
  );
});

test('only its body scrolls: content deep in it does not push the head out of view', async ({
  show,
}) => {
  const page = await show('modal', { still: true });
  await page.setViewportSize({ width: 1440, height: 500 });
  await page.getByRole('button', { name: 'Open a long text' }).click();
  const before = await sheetOf(page);
  const last = page.getByText('Akhir syarat layanan.');
  await last.evaluate((one) => one.scrollIntoView({ block: 'start' }));
  await waitFor(async () => expect((await boxOf(last)).y).toBeLessThan(before.y + before.height));
  expect(await sheetOf(page)).toEqual(before);
});
