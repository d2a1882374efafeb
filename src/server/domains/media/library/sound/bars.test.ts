import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BARS, openMeter } from './decode.ts';

const sound = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { maxLength: 3_000 });
const barsOf = (samples: readonly number[], rate = 100) => {
  const meter = openMeter(rate);
  meter.addSamples([Float32Array.from(samples)]);
  return meter.bars();
};

test('gives every sound 64 bars of 0 to 100', () => {
  fc.assert(
    fc.property(sound, (samples) => {
      const bars = barsOf(samples);
      expect(bars).toHaveLength(BARS);
      for (const bar of bars) expect(bar >= 0 && bar <= 100 && Number.isInteger(bar)).toBe(true);
    }),
  );
});

test('gives the same bars for any division into chunks', () => {
  fc.assert(
    fc.property(sound, fc.array(fc.nat(3_000)), (samples, cuts) => {
      const meter = openMeter(100);
      const at = [0, ...cuts.toSorted((a, b) => a - b), samples.length];
      at.forEach((from, nth) => {
        meter.addSamples([
          Float32Array.from(samples.slice(from, Math.max(from, at[nth + 1] ?? from))),
        ]);
      });
      expect(meter.seconds()).toBe(samples.length / 100);
      expect(meter.bars()).toEqual(barsOf(samples));
    }),
  );
});

test('ignores volume, and shows faint noise as silence', () => {
  const samples = Array.from({ length: 2_000 }, (_, at) => Math.sin(at) * (at / 2_000));
  expect(barsOf(samples.map((one) => one / 2))).toEqual(barsOf(samples));
  expect(barsOf(samples).at(-1)).toBe(100);
  expect(barsOf(samples.map((one) => one / 2_000))).toEqual(Array.from({ length: BARS }, () => 0));
});
