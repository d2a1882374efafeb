const numbers = new Intl.NumberFormat('id-ID');

/** How full a text is, for the eye: `12 / 4.096`. */
export const lengthShown = (length: number, max: number): string =>
  `${numbers.format(length)} / ${numbers.format(max)}`;

/**
 * How much room is left, for ears: nothing while there is plenty, then a sentence that changes every
 * five characters, so that it is not spoken with every key.
 */
export function roomLeft(length: number, max: number): string {
  const left = max - length;
  if (left > 20) return '';
  if (left <= 0) return `Batas ${numbers.format(max)} karakter tercapai.`;
  return `Tersisa kurang dari ${Math.floor(left / 5) * 5 + 5} karakter.`;
}
