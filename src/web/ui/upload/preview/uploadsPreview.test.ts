import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPreviewed, previewHeight, previewPixels, vectorSize } from './uploadsPreview.ts';

test('a preview is as high as the picture in its item, from 44 to 256 px', () => {
  expect(previewHeight(400, { width: 1_000, height: 500 })).toBe(200);
  expect(previewHeight(400, { width: 1_000, height: 4_000 })).toBe(256);
  expect(previewHeight(400, { width: 300, height: 120 })).toBe(120);
  expect(previewHeight(400, { width: 4_000, height: 40 })).toBe(44);
  expect(previewHeight(400, { width: 0, height: 0 })).toBe(44);
});

test('it has two pixels per CSS pixel, never more than the picture, in its proportions', () => {
  expect(previewPixels(400, { width: 4_000, height: 2_000 })).toEqual({ width: 800, height: 400 });
  expect(previewPixels(400, { width: 2_000, height: 8_000 })).toEqual({ width: 128, height: 512 });
  expect(previewPixels(400, { width: 30, height: 20 })).toEqual({ width: 30, height: 20 });
  const sizes = fc.record({
    width: fc.integer({ min: 1, max: 9_000 }),
    height: fc.integer({ min: 1, max: 9_000 }),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), sizes, (item, natural) => {
      const height = previewHeight(item, natural);
      expect(height >= 44 && height <= 256).toBe(true);
      const pixels = previewPixels(item, natural);
      expect(pixels.width).toBeLessThanOrEqual(Math.min(item * 2, natural.width) + 1);
      expect(pixels.height).toBeLessThanOrEqual(Math.min(height * 2, natural.height) + 1);
    }),
  );
});

test('vector pictures are rendered 2048 wide first, and only pictures are shown', () => {
  expect(vectorSize({ width: 100, height: 50 })).toEqual({ width: 2_048, height: 1_024 });
  expect(vectorSize({ width: 0, height: 0 })).toEqual({ width: 2_048, height: 2_048 });
  expect(isPreviewed('image/svg+xml')).toBe(true);
  expect(isPreviewed('application/pdf')).toBe(false);
});
