import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinePlaces } from './useThreadScroll.ts';

const keysOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `${from + at}`);

test('positions lines by their heights and by an estimate', () => {
  const places = new LinePlaces();
  expect(places.between(0, 500)).toEqual({ from: 0, to: 0 });
  places.replace(keysOf(0, 10), 0);
  const guess = places.begin(1);
  places.measure('0', 10, 0);
  places.measure('2', 100, 0);
  expect([0, 1, 2, 3].map((at) => places.begin(at))).toEqual([0, 10, 10 + guess, 110 + guess]);
  expect(places.height).toBe(110 + 8 * guess);
  expect([-5, 0, 9, 10, 10 + guess, 1e9].map((y) => places.at(y))).toEqual([0, 0, 0, 1, 2, 9]);
  expect(places.between(5, 12)).toEqual({ from: 0, to: 2 });
});

test('keeps the line being read in place through any changes around it', () => {
  const change = fc.oneof(
    fc.record({ kind: fc.constant('older' as const), by: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ kind: fc.constant('newer' as const), by: fc.integer({ min: 1, max: 20 }) }),
    fc.record({
      kind: fc.constant('measured' as const),
      line: fc.nat(),
      px: fc.integer({ min: 1, max: 900 }),
    }),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.nat(2_000), (changes, y) => {
      const places = new LinePlaces();
      let [from, to] = [0, 30];
      places.replace(keysOf(from, to), 0);
      for (const one of changes) {
        const read = from + places.at(y);
        const stood = places.begin(read - from);
        if (one.kind === 'measured') {
          places.measure(`${from + (one.line % (to - from))}`, one.px, y);
        } else {
          if (one.kind === 'older') from -= one.by;
          else to += one.by;
          places.replace(keysOf(from, to), y);
        }
        expect(places.begin(read - from)).toBeCloseTo(stood, 6);
        expect(places.end(to - from - 1)).toBeCloseTo(places.top + places.height, 6);
      }
    }),
  );
});

test('keeps the next remaining line in place when the line being read is removed', () => {
  const places = new LinePlaces();
  places.replace(['a', 'b', 'c', 'd'], 0);
  const stood = places.begin(2);
  places.replace(['a', 'c', 'd'], places.begin(1));
  expect(places.begin(1)).toBe(stood);
});
