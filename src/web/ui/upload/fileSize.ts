export type SizeWords = { bytes: string; KB: string; MB: string; GB: string; decimal: string };

const english: SizeWords = { bytes: 'bytes', KB: 'KB', MB: 'MB', GB: 'GB', decimal: '.' };

/** Indonesian abbreviations, for narrow places. */
export const shortSizes: SizeWords = { bytes: 'B', KB: 'KB', MB: 'MB', GB: 'GB', decimal: ',' };

/**
 * A file size for people: whole bytes below 1 KB, whole KB (rounded down), MB with one decimal (never '.0'), GB with
 * two. A negative or invalid size is 0.
 *
 * @param base 1000 or 1024.
 */
export function fileSizeText(size: number, words: SizeWords = english, base = 1000): string {
  const bytes = Number.isFinite(size) ? Math.max(0, Math.round(size)) : 0;
  const [kilo, mega, giga] = [base, base ** 2, base ** 3];
  if (bytes < kilo) return `${bytes} ${words.bytes}`;
  if (bytes < mega) return `${Math.floor(bytes / kilo)} ${words.KB}`;
  if (bytes < giga) {
    const megabytes = (bytes / mega).toFixed(1).replace(/\.0$/, '');
    return `${megabytes.replace('.', words.decimal)} ${words.MB}`;
  }
  return `${(bytes / giga).toFixed(2).replace('.', words.decimal)} ${words.GB}`;
}
