import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const player = (page: Page, title: string) => page.getByRole('group', { name: title });
const textOf = (page: Page, of: string) => page.getByLabel(of).textContent();

test('reports every ten seconds of playing: 12 s, a pause and 9 s are one', async ({ show }) => {
  const page = await show('audio-player', { width: 390, own: true });
  const budi = player(page, 'Pesan suara dari Budi');
  await budi.getByRole('button', { name: 'Putar pesan suara 0:24' }).waitFor();
  await page.clock.install();
  const slider = budi.getByRole('slider', { name: 'Posisi pesan suara' });
  await slider.focus();
  await page.keyboard.press('k');
  await budi.getByRole('button', { name: 'Jeda pesan suara' }).waitFor();
  await page.clock.runFor(12_000);
  await page.keyboard.press('k');
  await budi.getByRole('button', { name: 'Putar pesan suara 0:24' }).waitFor();
  await page.clock.runFor(60_000);
  await page.keyboard.press(' ');
  await budi.getByRole('button', { name: 'Jeda pesan suara' }).waitFor();
  await page.clock.runFor(9_000);
  await page.keyboard.press(' ');
  await waitFor(async () =>
    expect(await textOf(page, 'Audio events')).toBe('play, pause, play, pause'),
  );
  expect(await page.getByLabel('Times listened').textContent()).toBe('1');
  expect(Number(await page.getByLabel('Last position').textContent())).toBeGreaterThanOrEqual(0);
});

test('keys alone seek, mute and change the speed', async ({ show }) => {
  const page = await show('audio-player', { width: 390 });
  const budi = player(page, 'Pesan suara dari Budi');
  await budi.getByRole('button', { name: 'Putar pesan suara 0:24' }).waitFor();
  const slider = budi.getByRole('slider', { name: 'Posisi pesan suara' });
  const at = () => slider.getAttribute('aria-valuetext');
  await slider.focus();
  for (const [key, place] of [
    ['ArrowRight', '0:05'],
    ['ArrowRight', '0:10'],
    ['ArrowLeft', '0:05'],
    ['ArrowUp', '0:10'],
    ['ArrowDown', '0:05'],
    ['End', '0:24'],
    ['Home', '0:00'],
  ] as const) {
    await page.keyboard.press(key);
    await waitFor(async () => expect(await at()).toBe(`${place} dari 0:24`));
  }
  await page.keyboard.press('m');
  await budi.getByRole('button', { name: 'Bunyikan pesan suara' }).press('Enter');
  await waitFor(async () =>
    expect(await budi.getByRole('button', { name: /Bunyikan/ }).count()).toBe(0),
  );
  for (const speed of ['1,5×', '2×', '1×']) {
    await budi.getByRole('button', { name: /^Kecepatan/ }).press('Enter');
    await budi.getByRole('button', { name: `Kecepatan ${speed}` }).waitFor();
  }
  expect(await budi.getByRole('button', { name: /^Putar/ }).count()).toBe(1);
});

test('one medium plays at a time, and owns the device’s media keys', async ({ show }) => {
  const page = await show('audio-player', { width: 1440 });
  const [budi, sari] = ['Budi', 'Sari'].map((name) => player(page, `Pesan suara dari ${name}`));
  await budi!.getByRole('button', { name: 'Putar pesan suara 0:24' }).click();
  await budi!.getByRole('button', { name: 'Jeda pesan suara' }).waitFor();
  const session = () => page.evaluate(() => navigator.mediaSession.metadata?.title);
  expect(await session()).toBe('Pesan suara dari Budi');
  await sari!.getByRole('button', { name: 'Putar pesan suara 0:24' }).click();
  await budi!.getByRole('button', { name: 'Putar pesan suara 0:24' }).waitFor();
  await sari!.getByRole('button', { name: 'Jeda pesan suara' }).waitFor();
  expect(await session()).toBe('Pesan suara dari Sari');
  expect(await page.evaluate(() => navigator.mediaSession.playbackState)).toBe('playing');
});

test('the element has the specified defaults, and shows when it cannot play', async ({ show }) => {
  const page = await show('audio-player', { width: 1440 });
  const elements = await page.locator('audio').evaluateAll((all) =>
    (all as HTMLAudioElement[]).map((one) => ({
      own: one.title === one.getAttribute('src'),
      preload: one.preload,
      volume: one.volume,
    })),
  );
  expect(elements.map(({ own }) => own)).toEqual([false, false, true, false, false]);
  for (const { preload, volume } of elements) expect([preload, volume]).toEqual(['metadata', 1]);
  const broken = player(page, 'Pesan suara dari Tono');
  await broken.getByText('Browser ini tidak dapat memutar pesan suara.').waitFor();
  expect(await broken.getByRole('link', { name: 'Unduh' }).count()).toBe(1);
  expect(await page.getByRole('group', { name: 'Nada tunggu' }).count()).toBe(0);
});
