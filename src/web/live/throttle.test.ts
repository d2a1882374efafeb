import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throttle } from './live.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pace = { gapMs: 300, longestMs: 2_000 };

test('runs once for a hundred events at once', async () => {
  const work = vi.fn(async () => undefined);
  const { request } = throttle(work, pace);
  for (let event = 0; event < 100; event++) request();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).toHaveBeenCalledTimes(1);
});

test('slows down under continuous events, and never runs faster than the gap', async () => {
  const at: number[] = [];
  const { request } = throttle(async () => {
    at.push(Date.now());
    await new Promise((resolve) => setTimeout(resolve, 40));
  }, pace);
  for (let ms = 0; ms < 20_000; ms += 20) {
    request();
    await vi.advanceTimersByTimeAsync(20);
  }
  const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(300);
  expect(gaps.at(-1)).toBeGreaterThanOrEqual(2_000);
});

test('runs again for a request during the work', async () => {
  let done = () => undefined as void;
  const work = vi.fn(() => new Promise<void>((resolve) => (done = resolve)));
  const { request } = throttle(work, pace);
  request();
  await vi.advanceTimersByTimeAsync(100);
  request();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).toHaveBeenCalledTimes(1);
  done();
  await vi.advanceTimersByTimeAsync(700);
  expect(work).toHaveBeenCalledTimes(2);
});

test('continues after failing work', async () => {
  const work = vi.fn(async () => Promise.reject(new Error('no network')));
  const { request } = throttle(work, pace);
  request();
  await vi.advanceTimersByTimeAsync(1_000);
  request();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work).toHaveBeenCalledTimes(2);
});

test('runs nothing after the stop', async () => {
  const work = vi.fn(async () => undefined);
  const { request, stop } = throttle(work, pace);
  request();
  stop();
  request();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).not.toHaveBeenCalled();
});
