import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import type { Progress } from '#web/ui/media/media.ts';

const player = (page: Page, title: string) => page.getByRole('group', { name: title });
const textOf = (page: Page, of: string) => page.getByLabel(of).textContent();
const position = (page: Page, title: string) =>
  player(page, title)
    .locator('video')
    .evaluate((video: HTMLVideoElement) => video.currentTime);

async function withClock(page: Page): Promise<void> {
  await page.clock.install({ time: Date.now() });
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
}

test('reports progress each second it has changed, from the start; length and start once', async ({
  show,
}) => {
  const page = await show('video-player', { width: 1440, own: true });
  await withClock(page);
  const budi = player(page, 'Video dari Budi');
  await budi.getByRole('button', { name: 'Putar video 0:12' }).waitFor();
  await page.clock.runFor(2_000);
  const last = async () =>
    JSON.parse((await page.getByLabel('Last progress').textContent()) ?? '') as Progress;
  await waitFor(async () => expect(await textOf(page, 'Times of progress')).not.toBe('0'));
  expect(await last()).toMatchObject({ playedSeconds: 0, played: 0 });
  expect((await last()).loaded).toBeGreaterThan(0);
  const count = await page.getByLabel('Times of progress').textContent();
  await page.clock.runFor(5_000);
  await waitFor(async () =>
    expect(await page.getByLabel('Times of progress').textContent()).toBe(count),
  );
  expect(await page.getByLabel('Starts').textContent()).toBe('0');

  const slider = budi.getByRole('slider', { name: 'Posisi video' });
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  await waitFor(async () =>
    expect(await slider.getAttribute('aria-valuetext')).toBe('0:05 dari 0:12'),
  );
  await page.clock.runFor(1_000);
  await waitFor(async () => expect((await last()).playedSeconds).toBe(5));
  expect((await last()).played).toBeCloseTo(5 / 12);
  for (const name of ['Jeda video', 'Putar video 0:12', 'Jeda video', 'Putar video 0:12']) {
    await page.keyboard.press(' ');
    await budi.getByRole('button', { name }).waitFor();
  }
  expect(await page.getByLabel('Starts').textContent()).toBe('1');
  expect(await page.getByLabel('Durations').textContent()).toBe('12');
});

test('it is 640 by 360, or narrower in the same ratio', async ({ show }) => {
  const page = await show('video-player', { width: 1440 });
  const video = player(page, 'Video dari Budi').locator('video');
  const size = async () => {
    const box = await boxOf(video);
    return [Math.round(box.width), box.width / box.height] as const;
  };
  const [wide, shape] = await size();
  expect(wide).toBeGreaterThanOrEqual(638);
  expect(wide).toBeLessThanOrEqual(640);
  expect(shape).toBeCloseTo(16 / 9, 1);
  await page.setViewportSize({ width: 390, height: 844 });
  const [narrow, same] = await size();
  expect(narrow).toBeLessThan(390);
  expect(same).toBeCloseTo(16 / 9, 1);
});

test('captions, sound and fullscreen are reached by keys', async ({ show }) => {
  const page = await show('video-player', { width: 390 });
  const budi = player(page, 'Video dari Budi');
  await budi.getByRole('button', { name: 'Takarir' }).press('Enter');
  const cues = () =>
    budi
      .locator('video')
      .evaluate((video: HTMLVideoElement) => [
        video.textTracks[0]?.mode,
        video.textTracks[0]?.cues?.length,
      ]);
  await waitFor(async () => expect(await cues()).toEqual(['showing', 2]));
  await page.keyboard.press('m');
  await budi.getByRole('button', { name: 'Bisukan', pressed: true }).waitFor();
  await page.keyboard.press('f');
  const whole = () => page.evaluate(() => document.fullscreenElement?.getAttribute('aria-label'));
  await waitFor(async () => expect(await whole()).toBe('Video dari Budi'));
  await page.keyboard.press('f');
  await waitFor(async () => expect(await whole()).toBeUndefined());
  await player(page, 'Video dari Tono')
    .getByText('Browser ini tidak dapat memutar video.')
    .waitFor();
});

test('an early seek is done on play; a medium resumes at its last position', async ({ show }) => {
  const page = await show('video-player', { width: 1440, own: true });
  await withClock(page);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await press('Seek to 7 s');
  await press('Give it its file');
  const guide = player(page, 'Petunjuk');
  await guide.getByRole('button', { name: 'Putar petunjuk 0:12' }).waitFor();
  expect(await position(page, 'Petunjuk')).toBe(0);
  await guide.getByRole('button', { name: 'Putar petunjuk 0:12' }).click();
  await waitFor(async () => expect(await position(page, 'Petunjuk')).toBeGreaterThanOrEqual(7));
  await press('Seek to the half');
  await waitFor(async () => expect(await position(page, 'Petunjuk')).toBeLessThan(7));
  expect(await position(page, 'Petunjuk')).toBeGreaterThanOrEqual(6);

  const gone = await guide.locator('video').elementHandle();
  await press('Take it away');
  await waitFor(async () =>
    expect(await gone?.evaluate((video) => (video as HTMLVideoElement).paused)).toBe(true),
  );
  await press('Bring it back');
  await waitFor(async () => expect(await position(page, 'Petunjuk')).toBeGreaterThanOrEqual(6));
});

test('an early seek expires after five seconds', async ({ show }) => {
  const page = await show('video-player', { width: 390, own: true });
  await withClock(page);
  const guide = player(page, 'Petunjuk');
  await page.getByRole('button', { name: 'Seek to 7 s' }).click();
  await page.clock.runFor(5_000);
  await page.getByRole('button', { name: 'Give it its file' }).click();
  await guide.getByRole('button', { name: 'Putar petunjuk 0:12' }).click();
  await guide.getByRole('button', { name: 'Jeda petunjuk' }).waitFor();
  await waitFor(async () => expect(await position(page, 'Petunjuk')).toBeGreaterThan(0));
  expect(await position(page, 'Petunjuk')).toBeLessThan(7);
});
