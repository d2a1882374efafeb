import * as z from 'zod/mini';

/** The largest amount the application handles, in whole rupiah (docs/money.md#amounts). */
export const RUPIAH_MAX = 9_000_000_000_000_000;

/** Whole rupiah: a safe integer within ±9·10¹⁵; negative only where a mutation says so. */
export const Rupiah = z
  .int('Nominal harus rupiah bulat.')
  .check(z.minimum(-RUPIAH_MAX), z.maximum(RUPIAH_MAX))
  .brand<'Rupiah'>();
export type Rupiah = z.output<typeof Rupiah>;

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

const asRupiah = new Intl.NumberFormat('id-ID', {
  style: 'currency',
  currency: 'IDR',
  minimumFractionDigits: 0,
  maximumFractionDigits: 0,
});

/** `2480500` → `Rp 2.480.500` (id-ID; a no-break space after Rp); negative: `-Rp 5.000`. */
export const formatRupiah = (amount: number): string => asRupiah.format(amount);

const asNumber = new Intl.NumberFormat('id-ID', { maximumFractionDigits: 0 });

/** `1234567` → `1.234.567`. */
export const formatNumber = (value: number): string => asNumber.format(value);
