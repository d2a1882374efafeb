import { expect, test } from 'vitest';
import { cleanValue } from 'react-currency-input-field';
import { readRupiah, tameTyped } from '#web/ui/rules/currency.ts';

/** What the field holds after something was typed: ours first, then the library's own rules. */
const held = (typed: string, pasted = false): string =>
  cleanValue({
    value: tameTyped(typed, { pasted }),
    groupSeparator: '.',
    decimalSeparator: ',',
    allowDecimals: true,
    decimalsLimit: 2,
    allowNegativeValue: false,
  });

test.each([
  ['250000', 250_000],
  ['250.000', 250_000],
  ['50k', 50_000],
  ['1,5k', 1_500],
  ['2m', 2_000_000],
  ['1,25M', 1_250_000],
  ['3b', 3_000_000_000],
  ['Rp 10.000', 10_000],
  ['1.500,75', 1_500],
  ['0k', 0],
  ['1k2', 12],
  ['k', undefined],
  ['', undefined],
  ['abc', undefined],
])('typing "%s" means %s rupiah', (typed, amount) => {
  expect(held(typed)).not.toContain('NaN');
  expect(readRupiah(held(typed))).toBe(amount);
});

test('an amount pasted the English way is read as it was meant', () => {
  expect(readRupiah(held('1500000.50', true))).toBe(1_500_000);
  expect(readRupiah(held('1,500,000.00', true))).toBe(1_500_000);
  expect(readRupiah(held('1.500.000', true))).toBe(1_500_000);
});

test('what is too large to be counted exactly is no amount', () => {
  expect(readRupiah('9007199254740993')).toBeUndefined();
  expect(readRupiah('1,5')).toBe(1);
});
