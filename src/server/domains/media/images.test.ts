import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, expect, test as base, vi } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { type Picture, drawPreview, redraw } from './images.ts';

const test = base.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kabari-images-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
});
afterEach(() => vi.useRealTimers());

const pictureOf = async (folder: string, width: number, height: number) => {
  const path = join(folder, `${width}x${height}.png`);
  const create = { width, height, channels: 3 as const, background: 'red' };
  await sharp({ create }).png().toFile(path);
  return { path, mime: 'image/png', accountId: 'ani' } satisfies Picture;
};

const whyNot = (work: Promise<unknown>) =>
  work.then(
    () => 'drawn',
    (error: unknown) => (error instanceof Refusal ? JSON.stringify(error.facts) : error),
  );

test('refuses a side of more than 16,383 pixels, regardless of the total', async ({ folder }) => {
  for (const [width, height] of [
    [16_384, 1],
    [1, 16_384],
  ] as const) {
    const picture = await pictureOf(folder, width, height);
    const to = join(folder, 'to');
    expect(await whyNot(redraw(picture, to))).toContain('16.383 piksel');
    expect(await whyNot(drawPreview(picture, to, 60_000))).toContain('16.383 piksel');
  }
  const longest = await pictureOf(folder, 16_383, 4);
  expect(await whyNot(redraw(longest, join(folder, 'drawn')))).toBe('drawn');
});

test('refuses a picture that takes longer than 10 s, and frees its slot when drawing ends', async ({
  folder,
}) => {
  const picture = await pictureOf(folder, 3_000, 3_000);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const works = [1, 2].map((n) => whyNot(redraw(picture, join(folder, `late-${n}`))));
  vi.advanceTimersByTime(9_999);
  expect(await Promise.race([...works, Promise.resolve('waits')])).toBe('waits');
  vi.advanceTimersByTime(2);
  for (const why of await Promise.all(works)) expect(why).toContain('terlalu lama');
  vi.useRealTimers();
  expect(await whyNot(redraw(picture, join(folder, 'next')))).toBe('drawn');
  expect((await stat(join(folder, 'late-1'))).size).toBeGreaterThan(0);
});

test('answers busy after waiting 10 s for a slot', async ({ folder }) => {
  const picture = await pictureOf(folder, 3_000, 3_000);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [, , waits] = [1, 2, 3].map((n) => whyNot(redraw(picture, join(folder, `${n}`))));
  vi.advanceTimersByTime(10_001);
  expect(await waits).toBe(JSON.stringify({ seconds: 5 }));
  vi.useRealTimers();
  expect(await whyNot(redraw(picture, join(folder, 'next')))).toBe('drawn');
});

test('gives another account a slot while one account waits with four pictures', async ({
  folder,
}) => {
  const picture = await pictureOf(folder, 1_000, 1_000);
  const draw = (n: number, accountId: string) =>
    whyNot(redraw({ ...picture, accountId }, join(folder, `${accountId}-${n}`)));
  const own = Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => draw(n, 'ani')));
  expect(await draw(1, 'budi')).toBe('drawn');
  const refused = (await own).filter((why) => why !== 'drawn');
  expect(refused.length).toBeGreaterThanOrEqual(2);
  expect(new Set(refused)).toEqual(new Set([JSON.stringify({ seconds: 5 })]));
});

test('skips the preview when there is no time for it', async ({ folder }) => {
  const picture = await pictureOf(folder, 3_000, 3_000);
  const preview = (name: string, msMax: number) => drawPreview(picture, join(folder, name), msMax);
  expect(await preview('none', 0)).toBeUndefined();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const drawings = [1, 2].map((n) => redraw(picture, join(folder, `${n}`)));
  const waits = preview('waits', 7_000);
  vi.advanceTimersByTime(7_001);
  expect(await waits).toBeUndefined();
  await Promise.all(drawings);
  vi.useRealTimers();
  expect(await preview('small', 20_000)).toEqual({
    pixels: { width: 3_000, height: 3_000 },
    isDrawn: true,
  });
});
