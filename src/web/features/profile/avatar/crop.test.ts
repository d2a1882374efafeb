import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cropOf, dragged, pictureBehind, wholeView, zoomed, ZOOM_MAX } from './crop.ts';

const wide = { width: 1600, height: 900 };
const sizes = fc.record({
  width: fc.integer({ min: 1, max: 8_000 }),
  height: fc.integer({ min: 1, max: 8_000 }),
});
const views = fc.record({
  zoom: fc.double({ min: 1, max: ZOOM_MAX, noNaN: true }),
  x: fc.double({ min: 0, max: 1, noNaN: true }),
  y: fc.double({ min: 0, max: 1, noNaN: true }),
});

test('starts with the largest square in the middle', () => {
  const crop = cropOf(wide, wholeView);
  expect(crop).toEqual({ x: (1 - 900 / 1600) / 2, y: 0, width: 900 / 1600, height: 1 });
});

test('the crop is always a square inside the picture', () => {
  fc.assert(
    fc.property(sizes, views, (picture, view) => {
      const { x, y, width, height } = cropOf(picture, view);
      expect(width * picture.width).toBeCloseTo(height * picture.height, 6);
      for (const [start, part] of [
        [x, width],
        [y, height],
      ] as const) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(part).toBeGreaterThan(0);
        expect(start + part).toBeLessThanOrEqual(1 + 1e-9);
      }
    }),
  );
});

test('the picture never leaves a gap in the window, however it is dragged', () => {
  const side = 280;
  fc.assert(
    fc.property(sizes, views, fc.integer(), fc.integer(), (picture, view, x, y) => {
      const moved = pictureBehind(picture, dragged(picture, view, side, { x, y }), side);
      expect(moved.left).toBeLessThanOrEqual(1e-6);
      expect(moved.top).toBeLessThanOrEqual(1e-6);
      expect(moved.left + moved.width).toBeGreaterThanOrEqual(side - 1e-6);
      expect(moved.top + moved.height).toBeGreaterThanOrEqual(side - 1e-6);
    }),
  );
});

test('dragging the picture to the right shows more of its left', () => {
  const before = cropOf(wide, wholeView);
  const after = cropOf(wide, dragged(wide, wholeView, 280, { x: 50, y: 0 }));
  expect(after.x).toBeLessThan(before.x);
  expect(after.y).toBe(before.y);
});

test('zooming in preserves the centre', () => {
  const middle = ({ x, width }: { x: number; width: number }) => x + width / 2;
  const near = zoomed(wide, { zoom: 1, x: 0.2, y: 0.5 }, 2);
  expect(middle(cropOf(wide, near))).toBeCloseTo(
    middle(cropOf(wide, { zoom: 1, x: 0.2, y: 0.5 })),
    9,
  );
  expect(zoomed(wide, wholeView, 99).zoom).toBe(ZOOM_MAX);
  expect(zoomed(wide, near, 0)).toMatchObject({ zoom: 1, y: 0.5 });
});
