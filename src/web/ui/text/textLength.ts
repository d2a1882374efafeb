import { formatNumber } from '#contract/base/money.ts';

/** The share of the limit from which the counter is shown. */
const NEAR = 0.8;

/** The displayed counter: `12 / 4.096`. Lengths are UTF-16 units, as the server counts them. */
export const lengthShown = (length: number, max: number): string =>
  `${formatNumber(length)} / ${formatNumber(max)}`;

/** True if a text fills most of its limit, or more. */
export const isNearlyFull = (length: number, max: number): boolean => length >= max * NEAR;

/** The error of a text beyond its limit; `undefined` when it fits. Text is never truncated. */
export const tooLong = (length: number, max: number): string | undefined =>
  length > max
    ? `Terlalu panjang. Pendekkan sampai paling banyak ${formatNumber(max)} karakter.`
    : undefined;

/**
 * The remaining characters for screen readers: empty far from the limit, then a sentence that changes every five
 * characters, so that it is not read with every key.
 */
export function roomLeft(length: number, max: number): string {
  const left = max - length;
  if (left > 20) return '';
  if (left === 0) return `Batas ${formatNumber(max)} karakter tercapai.`;
  const about = formatNumber(Math.floor(Math.abs(left) / 5) * 5 + 5);
  return left > 0
    ? `Tersisa kurang dari ${about} karakter.`
    : `Kelebihan kurang dari ${about} karakter.`;
}
