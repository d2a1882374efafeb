import { expect, test } from 'vitest';
import { fileSizeText, shortSizes } from './fileSize.ts';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 KB'],
  [1_999, '1 KB'],
  [999_999, '999 KB'],
  [1_000_000, '1 MB'],
  [1_250_000, '1.3 MB'],
  [12_000_000, '12 MB'],
  [999_949_999, '999.9 MB'],
  [1_000_000_000, '1.00 GB'],
  [2_345_678_901, '2.35 GB'],
  [-5, '0 bytes'],
  [Number.NaN, '0 bytes'],
])('%d bytes are %s', (bytes, text) => {
  expect(fileSizeText(bytes)).toBe(text);
});

test('a size in Indonesian has a comma, and base 1024 is supported', () => {
  const words = { bytes: 'byte', KB: 'KB', MB: 'MB', GB: 'GB', decimal: ',' };
  expect(fileSizeText(2_480_500, words)).toBe('2,5 MB');
  expect(fileSizeText(1_500_000_000, words)).toBe('1,50 GB');
  expect(fileSizeText(1_023, words, 1024)).toBe('1023 byte');
  expect(fileSizeText(1_048_576, words, 1024)).toBe('1 MB');
});

test('sizes in Indonesian use the largest unit that fits', () => {
  const sizes = [0, 900, 999, 1_000, 12_345, 999_999, 1_000_000, 1_250_000, 2_500_000_000];
  expect(sizes.map((size) => fileSizeText(size, shortSizes))).toEqual([
    '0 B',
    '900 B',
    '999 B',
    '1 KB',
    '12 KB',
    '999 KB',
    '1 MB',
    '1,3 MB',
    '2,50 GB',
  ]);
});
