import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, expect, test as base, vi } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { drawPreview, redraw } from './images.ts';

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
  return path;
};

const whyNot = (work: Promise<unknown>) =>
  work.then(
    () => 'drawn',
    (error: unknown) => (error instanceof Refusal ? JSON.stringify(error.facts) : error),
  );

test('a side of more than 16,383 pixels is refused, however few there are in all', async ({
  folder,
}) => {
  for (const [width, height] of [
    [16_384, 1],
    [1, 16_384],
  ] as const) {
    const path = await pictureOf(folder, width, height);
    const to = join(folder, 'to');
    expect(await whyNot(redraw(path, to, 'image/png'))).toContain('16.383 piksel');
    expect(await whyNot(drawPreview(path, to, 'image/png'))).toContain('16.383 piksel');
  }
  const longest = await pictureOf(folder, 16_383, 4);
  expect(await whyNot(redraw(longest, join(folder, 'drawn'), 'image/png'))).toBe('drawn');
});

test('a picture that takes longer than 10 s is refused then, and its turn ends with its drawing', async ({
  folder,
}) => {
  const path = await pictureOf(folder, 3_000, 3_000);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const works = [1, 2].map((n) => whyNot(redraw(path, join(folder, `late-${n}`), 'image/png')));
  vi.advanceTimersByTime(9_999);
  expect(await Promise.race([...works, Promise.resolve('waits')])).toBe('waits');
  vi.advanceTimersByTime(2);
  for (const why of await Promise.all(works)) expect(why).toContain('terlalu lama');
  vi.useRealTimers();
  expect(await whyNot(redraw(path, join(folder, 'next'), 'image/png'))).toBe('drawn');
  expect((await stat(join(folder, 'late-1'))).size).toBeGreaterThan(0);
});

test('who waits for a turn longer than 10 s is asked to come again', async ({ folder }) => {
  const path = await pictureOf(folder, 3_000, 3_000);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [, , waits] = [1, 2, 3].map((n) => whyNot(redraw(path, join(folder, `${n}`), 'image/png')));
  vi.advanceTimersByTime(10_001);
  expect(await waits).toBe(JSON.stringify({ seconds: 5 }));
  vi.useRealTimers();
  expect(await whyNot(redraw(path, join(folder, 'next'), 'image/png'))).toBe('drawn');
});
