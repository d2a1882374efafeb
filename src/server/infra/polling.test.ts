import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noteWork, pollAtFullRate, pollEvery } from './polling.ts';

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
