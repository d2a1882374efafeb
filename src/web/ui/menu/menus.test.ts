import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  currentHref,
  entryTyped,
  placeBeside,
  placeMenu,
  splitForBar,
  stepRound,
} from '#web/ui/menu/menus.ts';

const view = { width: 390, height: 844 };
const menu = { width: 200, height: 160 };

test('places a menu below its button, start edges aligned', () => {
  const anchor = { left: 40, top: 100, width: 120, height: 40 };
  expect(placeMenu(anchor, menu, view)).toEqual({ left: 40, top: 144, maxHeight: 692 });
  expect(placeMenu({ ...anchor, left: 240 }, menu, view, { align: 'end' }).left).toBe(160);
});

test('flips a menu above its button at the bottom of the window, but only for more room', () => {
  const low = { left: 40, top: 780, width: 120, height: 40 };
  expect(placeMenu(low, menu, view)).toEqual({ left: 40, top: 616, maxHeight: 768 });
  const high = { ...low, top: 20 };
  const long = { width: 200, height: 2_000 };
  expect(placeMenu(high, long, view)).toEqual({ left: 40, top: 64, maxHeight: 772 });
});

test('keeps a menu in the window wherever its button is', () => {
  const somewhere = fc.record({
    left: fc.integer({ min: -50, max: 400 }),
    top: fc.integer({ min: 0, max: 800 }),
    width: fc.integer({ min: 20, max: 300 }),
    height: fc.constant(44),
  });
  const some = fc.record({
    width: fc.integer({ min: 80, max: 374 }),
    height: fc.integer({ min: 40, max: 900 }),
  });
  fc.assert(
    fc.property(somewhere, some, fc.constantFrom('start', 'end'), (anchor, size, align) => {
      const spot = placeMenu(anchor, size, view, { align });
      const height = Math.min(size.height, spot.maxHeight);
      expect(spot.left).toBeGreaterThanOrEqual(8);
      expect(spot.left + size.width).toBeLessThanOrEqual(view.width - 8);
      expect(spot.top).toBeGreaterThanOrEqual(8);
      expect(spot.top + height).toBeLessThanOrEqual(view.height - 8);
    }),
  );
});

test('places a tooltip beside its control, on the other side at the edge', () => {
  const tip = { width: 80, height: 28 };
  const anchor = { left: 8, top: 100, width: 48, height: 44 };
  expect(placeBeside(anchor, tip, view)).toMatchObject({ left: 60, top: 108 });
  expect(placeBeside({ ...anchor, left: 330 }, tip, view).left).toBe(246);
});

test('finds the next entry that begins with the typed letters, with wrap-around', () => {
  const labels = ['Buka', 'Ubah nama', 'Unduh', 'Hapus'];
  expect(entryTyped(labels, -1, 'u')).toBe(1);
  expect(entryTyped(labels, 1, 'u')).toBe(2);
  expect(entryTyped(labels, 2, 'u')).toBe(1);
  expect(entryTyped(labels, 1, 'uu')).toBe(2);
  expect(entryTyped(labels, 1, 'un')).toBe(2);
  expect(entryTyped(labels, 1, 'ubah n')).toBe(1);
  expect(entryTyped(labels, 0, 'z')).toBe(-1);
});

test('wraps arrow keys', () => {
  expect([stepRound(2, 1, 3), stepRound(0, -1, 3), stepRound(-1, 1, 3)]).toEqual([0, 2, 0]);
  expect([stepRound(-1, -1, 3), stepRound(0, 1, 0)]).toEqual([2, -1]);
});

test('matches a path with its longest parent entry, and home only with itself', () => {
  const hrefs = ['/', '/token', '/operator', '/operator/topups'];
  expect(currentHref('/', hrefs)).toBe('/');
  expect(currentHref('/token/tok_1', hrefs)).toBe('/token');
  expect(currentHref('/operator/topups/TU-1', hrefs)).toBe('/operator/topups');
  expect(currentHref('/tokens', hrefs)).toBeUndefined();
});

test('fits five into a bar, or four and a button for the rest', () => {
  expect(splitForBar([1, 2, 3, 4, 5], 5, false)).toEqual({ shown: [1, 2, 3, 4, 5], rest: [] });
  expect(splitForBar([1, 2, 3, 4, 5, 6], 5, false)).toEqual({ shown: [1, 2, 3, 4], rest: [5, 6] });
  expect(splitForBar([1, 2, 3, 4], 5, true)).toEqual({ shown: [1, 2, 3, 4], rest: [] });
});
