import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dropIndex, givingWay, landing, moved, type Box } from './reorder.ts';

const column = (...heights: number[]): Box[] => {
  let top = 100;
  return heights.map((height) => {
    const box = { left: 0, top, width: 300, height };
    top += height + 8;
    return box;
  });
};

test('moving keeps all members, and inserts the one at its new position', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
  expect(moved(['a', 'b', 'c'], 2, -9)).toEqual(['c', 'a', 'b']);
  const list = ['a', 'b'];
  expect(moved(list, 1, 1)).toBe(list);
  expect(moved(list, 5, 0)).toBe(list);
  const lists = fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(lists, fc.nat({ max: 8 }), fc.integer({ min: -3, max: 12 }), (all, from, to) => {
      const next = moved(all, from, to);
      expect(new Set(next)).toEqual(new Set(all));
      expect(next.length).toBe(all.length);
      if (from < all.length) {
        expect(next[Math.min(Math.max(to, 0), all.length - 1)]).toBe(all[from]);
        expect(moved(next, next.indexOf(all[from] ?? -1), from)).toEqual(all);
      }
    }),
  );
});

test('in a column the middle of a box separates the drop positions', () => {
  const boxes = column(50, 50, 50);
  expect(dropIndex(boxes, 10, 0)).toBe(0);
  expect(dropIndex(boxes, 10, 124)).toBe(0);
  expect(dropIndex(boxes, 10, 126)).toBe(1);
  expect(dropIndex(boxes, 10, 900)).toBe(3);
  expect(dropIndex([], 10, 10)).toBe(0);
});

test('side by side, the row decides first and then the side', () => {
  const at = (left: number, top: number): Box => ({ left, top, width: 100, height: 100 });
  const grid = [at(0, 0), at(110, 0), at(0, 110), at(110, 110)];
  expect(dropIndex(grid, 20, 50)).toBe(0);
  expect(dropIndex(grid, 120, 50)).toBe(1);
  expect(dropIndex(grid, 205, 50)).toBe(2);
  expect(dropIndex(grid, 120, 150)).toBe(3);
  expect(dropIndex(grid, 300, 150)).toBe(4);
});

test('a dragged box lands past those whose middle it has passed, and they make way', () => {
  const boxes = column(50, 100, 50);
  expect(landing(boxes, 0, 20)).toBe(0);
  expect(landing(boxes, 0, 60)).toBe(1);
  expect(landing(boxes, 0, 500)).toBe(2);
  expect(landing(boxes, 2, -40)).toBe(2);
  expect(landing(boxes, 2, -70)).toBe(1);
  expect(landing(boxes, 2, -500)).toBe(0);
  expect(landing(boxes, 9, 5)).toBe(9);
  expect(givingWay(boxes, 0, 2)).toEqual([0, -58, -58]);
  expect(givingWay(boxes, 2, 0)).toEqual([58, 58, 0]);
  expect(givingWay(boxes, 1, 1)).toEqual([0, 0, 0]);
  expect(givingWay([], 0, 0)).toEqual([]);
});
