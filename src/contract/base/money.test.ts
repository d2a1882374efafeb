import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCompact, formatNumber, formatRupiah } from './money.ts';

const wholes = fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 });
const small = fc.integer({ min: -2_000_000, max: 2_000_000 });
const intl = (options?: Intl.NumberFormatOptions) => new Intl.NumberFormat('id-ID', options);

test('formats numbers and amounts in the Indonesian style', () => {
  const number = intl();
  const rupiah = intl({ style: 'currency', currency: 'IDR', maximumFractionDigits: 0 });
  fc.assert(
    fc.property(fc.oneof(small, wholes), (value) => {
      expect(formatNumber(value)).toBe(number.format(value));
      expect(formatRupiah(value)).toBe(rupiah.format(value));
    }),
  );
  expect(formatRupiah(-5_000)).toBe('-Rp\u00A05.000');
});

test('rounds compact amounts to one decimal of their scale', () => {
  const compact = intl({ notation: 'compact', maximumFractionDigits: 1 });
  fc.assert(
    fc.property(fc.oneof(small, wholes), (value) => {
      expect(formatCompact(value)).toBe(compact.format(value));
    }),
  );
  for (const edge of [999, 1_000, 999_949, 999_950, 999_949_999, 999_950_000, 999_950_000_000]) {
    expect(formatCompact(edge)).toBe(compact.format(edge));
  }
});
