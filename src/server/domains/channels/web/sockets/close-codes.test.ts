import { expect, test } from 'vitest';
import { actionFor, backOffMs, openLoginPace } from './close-codes.ts';

test.for([
  [515, { kind: 'reconnect' }],
  [428, { kind: 'back_off', leastMs: 1_000 }],
  [408, { kind: 'back_off', leastMs: 1_000 }],
  [503, { kind: 'back_off', leastMs: 30_000 }],
  [440, { kind: 'yield', leastMs: 15_000, timesMax: 3, reason: 'replaced' }],
  // From a proxy before the network.
  [401, { kind: 'back_off', leastMs: 1_000 }],
  [403, { kind: 'part', reason: 'banned', erase: false }],
  [411, { kind: 'part', reason: 'relink', erase: false }],
  [419, { kind: 'part', reason: 'relink', erase: false }],
  [500, { kind: 'retry', triesMax: 5, reason: 'relink' }],
  [405, { kind: 'back_off', leastMs: 60_000, says: 'outdated' }],
  // Not in the table: a temporary failure.
  [499, { kind: 'back_off', leastMs: 1_000 }],
  [0, { kind: 'back_off', leastMs: 1_000 }],
] as const)('%i asks for %j', ([code, action]) => {
  expect(actionFor({ code })).toEqual(action);
});

test('erases only a session that its phone has removed', () => {
  for (const code of [401, 406, 440]) {
    expect(actionFor({ code, isLoggedOut: true })).toEqual({
      kind: 'part',
      reason: 'phone',
      erase: true,
    });
  }
});

test('doubles the wait from one second to a minute, give or take a fifth', () => {
  const middle = [1, 2, 3, 6, 7, 20].map((tries) => backOffMs(tries, 1_000, 0.5));
  expect(middle).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
  expect(backOffMs(1, 1_000, 0)).toBe(800);
  expect(backOffMs(1, 1_000, 0.999)).toBe(1_200);
});

test('waits at least half a minute, less a fifth, for an unavailable service', () => {
  expect(backOffMs(1, 30_000, 0.5)).toBe(30_000);
  expect(backOffMs(9, 30_000, 0.5)).toBe(60_000);
});

test('spaces logins that are due together by a gap that varies', () => {
  let now = 1_000;
  const randoms = [0, 0.999, 0.5, 0.5];
  const pace = openLoginPace(
    200,
    () => now,
    () => randoms.shift() ?? 0.5,
  );
  const waits = Array.from({ length: 4 }, () => Math.round(pace.waitMs()));
  expect(waits).toEqual([0, 100, 400, 600]);
  // A single login does not wait.
  now = 60_000;
  expect(pace.waitMs()).toBe(0);
  // 200 sessions that move to another worker are back within a minute, none in the same 100 ms.
  const all = openLoginPace(250, () => 0);
  const moved = Array.from({ length: 200 }, () => all.waitMs());
  expect(moved.at(-1)).toBeLessThan(75_000);
  expect(Math.min(...moved.slice(1).map((wait, nth) => wait - moved[nth]!))).toBeGreaterThan(100);
});
