import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noteWork, pollAtFullRate, pollEvery, repeat } from './polling.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('polls four times less often after ten seconds without work, and at the full rate with it', () => {
  noteWork();
  let polls = 0;
  const stop = pollEvery(500, () => (polls += 1));
  const pollsIn = (ms: number) => {
    const before = polls;
    vi.advanceTimersByTime(ms);
    return polls - before;
  };
  expect(pollsIn(10_000)).toBe(20);
  expect(pollsIn(10_000)).toBe(5);
  noteWork();
  expect(pollsIn(500)).toBe(1);
  expect(pollsIn(9_500)).toBe(19);
  expect(pollsIn(8_000)).toBe(4);
  pollAtFullRate();
  expect(pollsIn(2_000)).toBe(4);
  stop();
  expect(pollsIn(10_000)).toBe(0);
});

test('runs once more after each run in which it was woken, and never twice at a time', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const reported: unknown[] = [];
  const work = () => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  };
  const repeated = repeat(work, 60_000, (trouble) => reported.push(trouble));
  repeated.wake();
  repeated.wake();
  repeated.wake();
  expect(runs).toHaveLength(1);
  // Between the end of the work and the end of its run.
  void runs[0]?.promise.then(() => repeated.wake());
  runs[0]?.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toHaveLength(2);
  repeated.wake();
  runs[1]?.reject(new Error('a bug'));
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toHaveLength(3);
  expect(reported).toEqual([new Error('a bug')]);

  repeated.wake();
  const closed = repeated.close();
  runs[2]?.resolve();
  await closed;
  await vi.advanceTimersByTimeAsync(120_000);
  expect(runs).toHaveLength(3);
});
