import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

test('doubles from the first wait to the longest, also after many failures', () => {
  const waits = [1, 2, 3, 4, 5, 2_000].map((failures) => backoff(failures, { first: 2, max: 20 }));
  expect(waits).toEqual([2, 4, 8, 16, 20, 20]);
});

test('spreads the wait evenly around its middle', () => {
  const limits = { first: 1_000, max: 60_000, spread: 0.2 };
  expect([0, 0.5, 0.999].map((random) => backoff(1, limits, random))).toEqual([800, 1_000, 1_200]);
});
