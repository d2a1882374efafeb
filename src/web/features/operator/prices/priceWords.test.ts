import { expect, test } from 'vitest';
import { fromWords, rateWords } from '#web/features/operator/prices/priceWords.ts';

test('formats the start of a change in words; an empty one is now', () => {
  expect(fromWords('')).toBe('sekarang');
  expect(fromWords('2026-12-01T00:00')).toBe('1 Des 2026, 00.00');
});

test('formats a rate of hundredths in percent', () => {
  const dpp = { dpp_num: 11, dpp_den: 12 };
  expect(rateWords({ num: 12, den: 100, ...dpp })).toBe('12% dari 11/12');
  expect(rateWords({ num: '1', den: '8', ...dpp })).toBe('1/8 dari 11/12');
});
