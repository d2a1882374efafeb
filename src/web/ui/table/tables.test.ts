import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COLUMN_MIN_PX, fillRow, tradeWidth, widest } from '#web/ui/table/columns.ts';
import { pageInstead } from '#web/ui/pagination/paging.ts';
import { allToggled, selectionState, rangeToggled, toggled } from '#web/ui/table/selection.ts';

test('replaces a page that no longer exists by the last one, as the wire counts', () => {
  expect(pageInstead('default', 9, 4)).toBe(3);
  expect(pageInstead('arrow', 9, 4)).toBe(4);
  expect(pageInstead('default', 3, 4)).toBeUndefined();
  expect(pageInstead('arrow', 4, 4)).toBeUndefined();
});

test('keeps the page of an empty or failed list, and of one with an unknown length', () => {
  expect(pageInstead('default', 2, 0)).toBeUndefined();
  expect(pageInstead('manual', 9, undefined)).toBeUndefined();
});

test('a column can take from the next one all but its minimum', () => {
  expect(widest([150, 150, 150], 0)).toBe(280);
  const widths = fc.array(fc.integer({ min: 20, max: 600 }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(widths, fc.nat(), fc.integer({ min: -900, max: 900 }), (given, at, delta) => {
      const index = at % (given.length - 1);
      const moved = tradeWidth(given, index, delta);
      const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0);
      expect(sum(moved)).toBe(sum(given));
      expect(Math.min(...moved)).toBeGreaterThanOrEqual(COLUMN_MIN_PX);
      expect(moved[index]).toBeLessThanOrEqual(widest(given, index));
    }),
  );
});

test('each column keeps its share in a row of any width', () => {
  expect(fillRow([100, 200, 100], 800)).toEqual([200, 400, 200]);
  expect(fillRow([100, 200, 100], undefined)).toEqual([100, 200, 100]);
  expect(fillRow([], 800)).toEqual([]);
});

test('rows are selected one by one, or all that are shown', () => {
  const shown = ['a', 'b'];
  const some = toggled(new Set(['z']), 'a');
  expect([...some]).toEqual(['z', 'a']);
  expect(selectionState(some, shown)).toBe('some');
  const all = allToggled(some, shown);
  expect(selectionState(all, shown)).toBe('all');
  expect([...allToggled(all, shown)]).toEqual(['z']);
  expect([...toggled(some, 'a')]).toEqual(['z']);
  expect(selectionState(new Set(['z']), shown)).toBe('none');
  expect(selectionState(new Set(), [])).toBe('none');
});

test('a range takes the new state of its last row', () => {
  const shown = ['a', 'b', 'c', 'd'];
  expect([...rangeToggled(new Set(['z', 'b']), shown, { from: 'b', to: 'd' })]).toEqual([
    'z',
    'b',
    'c',
    'd',
  ]);
  expect([...rangeToggled(new Set(shown), shown, { from: 'c', to: 'a' })]).toEqual(['d']);
  expect([...rangeToggled(new Set(['y']), shown, { from: 'y', to: 'b' })]).toEqual(['y', 'b']);
});
