import * as z from 'zod/mini';
import { type Output, schema } from './schema.ts';

/** The largest amount the application handles, in whole rupiah (docs/money.md#amounts). */
export const RUPIAH_MAX = 9_000_000_000_000_000;

/** Whole rupiah: a safe integer within ±9·10¹⁵; negative only if a mutation says so. */
export const Rupiah = schema(() =>
  z
    .int('Nominal harus rupiah bulat.')
    .check(z.minimum(-RUPIAH_MAX), z.maximum(RUPIAH_MAX))
    .brand<'Rupiah'>(),
);
export type Rupiah = Output<typeof Rupiah>;

/**
 * A number as whole rupiah.
 *
 * @throws RangeError when it is not a whole number within ±9·10¹⁵: our bug, never a customer's doing
 *   (what customers type goes through the schema `Rupiah`).
 */
export function rupiah(amount: number): Rupiah {
  if (!Number.isSafeInteger(amount) || Math.abs(amount) > RUPIAH_MAX) {
    throw new RangeError(`not whole rupiah: ${amount}`);
  }
  return amount as Rupiah;
}

// Not Intl: its first use takes 100 ms on a phone, which would delay the first paint of every page.

/** `1234567` → `1.234.567`; fractions are rounded, halves away from zero. */
export function formatNumber(value: number): string {
  const digits = String(Math.round(Math.abs(value))).replace(/\B(?=(\d{3})+$)/g, '.');
  return value < 0 ? `-${digits}` : digits;
}

/** `2480500` → `Rp 2.480.500` (id-ID; a no-break space after Rp); negative: `-Rp 5.000`. */
export const formatRupiah = (amount: number): string =>
  `${amount < 0 ? '-' : ''}Rp\u00A0${formatNumber(Math.abs(amount))}`;

const scales = [
  [1e12, 'T'],
  [1e9, 'M'],
  [1e6, 'jt'],
  [1e3, 'rb'],
] as const;

/** `1250000` → `1,3 jt`: thousands, millions … with one decimal at most. */
export function formatCompact(value: number): string {
  const size = Math.abs(value);
  // Values that round up to the next scale use it: 999.950 is 1 jt.
  const [unit, word] = scales.find(([from]) => size >= from - from / 20_000) ?? [1, ''];
  const tenths = Math.round((size / unit) * 10);
  const decimal = tenths % 10 === 0 ? '' : `,${tenths % 10}`;
  const shown = `${Math.floor(tenths / 10)}${decimal}`;
  return `${value < 0 ? '-' : ''}${shown}${word && `\u00A0${word}`}`;
}
