import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const saved = 'Token Kasir disimpan.';
const say = (page: Page, name: string) => page.getByRole('button', { name }).click();
async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}
/** Waits until React has done its deferred work, which a stopped clock does not delay. */
const rendered = (page: Page) =>
  page.evaluate(async () => {
    for (let turn = 0; turn < 4; turn++) {
      await new Promise<void>((turned) => {
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener('message', () => turned());
        port1.start();
        port2.postMessage('');
      });
    }
  });
const away = async (page: Page) => {
  await page.mouse.move(5, 5);
};

test('a toast stays for 5 s; the time pauses on hover, on focus and while the page is out of view', async ({
  show,
}) => {
  const page = await show('toast', { own: true });
  await stopClock(page);
  await say(page, 'Say success');
  await page.getByRole('region', { name: 'Pemberitahuan (F8)' }).waitFor({ state: 'attached' });
  await page.clock.runFor(100);
  const toast = page.getByText(saved);
  await toast.waitFor();
  await away(page);
  await page.clock.runFor(4_000);
  await toast.hover();
  await rendered(page);
  await page.clock.runFor(60_000);
  await waitFor(async () => expect(await toast.isVisible()).toBe(true));
  await away(page);

  await page.keyboard.press('F8');
  await rendered(page);
  await page.clock.runFor(60_000);
  await waitFor(async () => expect(await toast.isVisible()).toBe(true));
  await page.keyboard.press('Escape');

  const hide = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await hide(true);
  await rendered(page);
  await page.clock.runFor(60_000);
  await waitFor(async () => expect(await toast.isVisible()).toBe(true));
  await hide(false);
  await rendered(page);
  await page.clock.runFor(1_100);
  await waitFor(async () => expect(await toast.count()).toBe(0));
});

test('a danger interrupts, the rest is polite, and the regions exist before their text', async ({
  show,
}) => {
  const page = await show('toast', { own: true });
  await stopClock(page);
  await say(page, 'Say danger');
  const region = page.getByRole('region', { name: 'Pemberitahuan (F8)' });
  await region.waitFor({ state: 'attached' });
  expect(await region.getByRole('alert').textContent()).toBe('');
  await page.clock.runFor(100);
  await region.getByRole('alert').getByText('Pesan tidak terkirim').waitFor();
  await say(page, 'Say success');
  await region.getByRole('status').getByText(saved).waitFor();
});

test('at most five are shown at once, the newest ones', async ({ show }) => {
  const page = await show('toast', { own: true });
  await say(page, 'Say seven things');
  await page.getByText('Baris 7 sudah diimpor.').waitFor();
  const lines = await page.getByText(/^Baris \d/).allTextContents();
  expect(lines.map((line) => line.slice(6, 7))).toEqual(['3', '4', '5', '6', '7']);
});

test('F8 focuses the toasts, Tab their action, and Escape returns', async ({ show }) => {
  const page = await show('toast', { own: true });
  const opener = page.getByRole('button', { name: 'Say it with an action' });
  await opener.press('Enter');
  await page.getByText('Balasan cepat dihapus.').waitFor();
  await page.keyboard.press('F8');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await waitFor(async () => expect(await page.getByLabel('Undone').textContent()).toBe('1'));
  expect(await page.getByText('Balasan cepat dihapus.').count()).toBe(0);
  await page.keyboard.press('Escape');
  await waitFor(async () =>
    expect(await opener.evaluate((one) => one === document.activeElement)).toBe(true),
  );

  await say(page, 'Say info');
  await page.keyboard.press('F8');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await page.getByText('Ekspor dimulai').count()).toBe(0));
});

test('a swipe removes a toast, and a short move leaves it', async ({ show }) => {
  const page = await show('toast', { width: 390, own: true });
  await say(page, 'Say success');
  const toast = page.getByText(saved);
  await toast.waitFor();
  const swipe = async (px: number) => {
    const box = await toast.boundingBox();
    if (!box) throw new Error('the toast is not there');
    const [x, y] = [box.x + 20, box.y + box.height / 2];
    const wire = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number) =>
      wire.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: at === undefined ? [] : [{ x: at, y }],
      });
    await touch('touchStart', x);
    for (let step = 1; step <= 5; step += 1) await touch('touchMove', x + (px * step) / 5);
    await touch('touchEnd');
  };
  await swipe(30);
  expect(await toast.count()).toBe(1);
  await swipe(160);
  await toast.waitFor({ state: 'detached' });
});
