import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkPlan, chunksFrom } from './chunks.ts';

test('splits 12 MB into three pieces, and adds no empty piece to a multiple', () => {
  expect(chunkPlan(12_000_000)).toEqual([
    [0, 5_000_000],
    [5_000_000, 10_000_000],
    [10_000_000, 12_000_000],
  ]);
  expect(chunkPlan(5_000_000)).toBeNull();
  expect(chunkPlan(10_000_000)).toEqual([
    [0, 5_000_000],
    [5_000_000, 10_000_000],
  ]);
  expect(chunkPlan(3, 5, true)).toEqual([[0, 3]]);
  expect(chunkPlan(0, 5, true)).toEqual([[0, 0]]);
});

test('covers the file once in pieces of the given size, and the rest from any offset', () => {
  const sizes = fc.record({
    size: fc.nat({ max: 5_000 }),
    chunk: fc.integer({ min: 1, max: 700 }),
    offset: fc.nat({ max: 5_000 }),
  });
  fc.assert(
    fc.property(sizes, ({ size, chunk, offset }) => {
      const plan = chunkPlan(size, chunk, true) ?? [];
      let reached = 0;
      for (const [from, to] of plan) {
        expect(from).toBe(reached);
        expect(to - from).toBeLessThanOrEqual(chunk);
        expect(to > from || size === 0).toBe(true);
        reached = to;
      }
      expect(reached).toBe(size);
      const left = chunksFrom(Math.min(offset, size), plan);
      const bytes = left.reduce((sum, [from, to]) => sum + to - from, 0);
      expect(bytes).toBe(size - Math.min(offset, size));
      expect(left[0]?.[0] ?? size).toBe(Math.min(offset, size));
    }),
  );
});
