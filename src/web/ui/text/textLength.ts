import { formatNumber } from '#contract/base/money.ts';

/** From this part of its limit on, how full a text is interests who writes it. */
const NEAR = 0.8;

/** How full a text is, for the eye: `12 / 4.096`. Lengths are UTF-16 units, as the server counts them. */
export const lengthShown = (length: number, max: number): string =>
  `${formatNumber(length)} / ${formatNumber(max)}`;

/** Whether a text fills most of its limit, or more. */
export const isNearlyFull = (length: number, max: number): boolean => length >= max * NEAR;

/** What is wrong with a text longer than its limit; `undefined` when it fits. Nothing of it is ever cut off. */
export const tooLong = (length: number, max: number): string | undefined =>
  length > max
    ? `Terlalu panjang. Pendekkan sampai paling banyak ${formatNumber(max)} karakter.`
    : undefined;

/**
 * How many characters are left, for screen readers: nothing while there is plenty, then a sentence that changes every
 * five characters, so that it is not spoken with every key.
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
