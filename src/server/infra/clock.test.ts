import { expect, test } from 'vitest';
import { openClock } from './clock.ts';

const start = new Date('2026-11-21T02:00:00Z');

test('a clock that can be moved goes forward only, and goes on from there', () => {
  let real = start.getTime();
  const clock = openClock({ isMovable: true, real: () => new Date(real) });
  clock.move?.(new Date('2026-12-21T00:00:00Z'));
  expect(clock.now()).toEqual(new Date('2026-12-21T00:00:00Z'));
  real += 1_000;
  expect(clock.now()).toEqual(new Date('2026-12-21T00:00:01Z'));
  clock.move?.(start);
  expect(clock.now()).toEqual(new Date('2026-12-21T00:00:01Z'));
});

test('any other cannot be moved', () => {
  const clock = openClock({ isMovable: false, real: () => start });
  expect(clock.move).toBeUndefined();
  expect(clock.now()).toEqual(start);
});
