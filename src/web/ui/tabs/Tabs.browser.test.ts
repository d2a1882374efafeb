import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

for (const width of [1440, 390] as const) {
  test(`arrows, Home and End select; the list is one tab stop, at ${width} px`, async ({
    show,
  }) => {
    const page = await show('tabs', { width });
    const opened = page.getByLabel('Open tab');
    await page.getByRole('tab', { name: 'Ringkasan' }).focus();
    const walk: [string, string, string][] = [
      ['ArrowRight', 'Baris tagihan', 'baris'],
      ['ArrowRight', 'Riwayat', 'riwayat'],
      ['ArrowRight', 'Ringkasan', 'ringkas'],
      ['ArrowLeft', 'Riwayat', 'riwayat'],
      ['Home', 'Ringkasan', 'ringkas'],
      ['End', 'Riwayat', 'riwayat'],
    ];
    for (const [key, label, value] of walk) {
      await page.keyboard.press(key);
      await waitFor(async () => expect(await focused(page)).toBe(label));
      expect(await opened.textContent()).toBe(value);
    }
    const tab = page.getByRole('tab', { selected: true });
    const panel = page.getByRole('tabpanel');
    expect(await page.getByRole('tab').count()).toBe(3);
    expect(await panel.count()).toBe(1);
    expect(await panel.getAttribute('aria-labelledby')).toBe(await tab.getAttribute('id'));
    expect(await tab.getAttribute('aria-controls')).toBe(await panel.getAttribute('id'));

    // A panel of text is a tab stop; in a panel with a button, the button is.
    await page.keyboard.press('Tab');
    await waitFor(async () =>
      expect(await panel.evaluate((one) => one === document.activeElement)).toBe(true),
    );
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Tab');
    await waitFor(async () => expect(await focused(page)).toBe('Unduh baris tagihan'));
    await page.keyboard.press('Shift+Tab');
    await waitFor(async () => expect(await focused(page)).toBe('Baris tagihan'));
  });
}

test('views with an address are links, and the current one is marked', async ({ show }) => {
  const page = await show('tabs');
  const views = page.getByRole('navigation', { name: 'Bagian galeri' });
  const current = views.locator('[aria-current=page]');
  expect(await current.allTextContents()).toEqual(['Tab']);
  expect(await views.getByRole('link', { name: 'Akordeon' }).getAttribute('href')).toBe(
    '/__galeri/accordion',
  );
});
