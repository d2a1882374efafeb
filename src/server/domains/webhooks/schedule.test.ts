import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterMs, retryWaitMs } from '#server/domains/webhooks/delivery.ts';

const HOUR_MS = 3_600_000;

test('thirteen tries take a little more than three days', () => {
  const waits = Array.from({ length: 13 }, (_, index) => retryWaitMs(index + 1, 0, 0.5));
  expect(waits.slice(0, 3)).toEqual([5_000, 30_000, 120_000]);
  expect(waits[12]).toBeUndefined();
  const total = waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0);
  expect(total / HOUR_MS).toBeCloseTo(76.7, 1);
});

test('waits vary by a tenth at most, and are longer on request of the endpoint, up to a day', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.nat({ max: 1_000_000_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (tries, pauseMs, dice) => {
        const steady = retryWaitMs(tries, 0, 0.5) ?? 0;
        const own = retryWaitMs(tries, 0, dice) ?? 0;
        expect(Math.abs(own - steady)).toBeLessThanOrEqual(steady / 10 + 1);
        expect(retryWaitMs(tries, pauseMs, dice)).toBe(
          Math.max(own, Math.min(pauseMs, 24 * HOUR_MS)),
        );
      },
    ),
  );
});

test.for([
  ['120', 120_000],
  [' 5 ', 5_000],
  ['Tue, 24 Nov 2026 00:01:00 GMT', 60_000],
  ['Mon, 23 Nov 2026 00:00:00 GMT', 0],
  ['', undefined],
  ['-5', undefined],
  ['1e9', undefined],
  ['sebentar', undefined],
  [undefined, undefined],
] as const)('Retry-After %j asks for %j ms', ([header, ms]) => {
  expect(retryAfterMs(header, new Date('2026-11-24T00:00:00Z'))).toBe(ms);
});
