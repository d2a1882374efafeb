/** The first letters of the first two words of a name, letters only, in capitals. */
export const initials = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/[^\p{L}\s]/gu, '')
    .trim()
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();

/** Maps a text to an index below `count`; the same text always gets the same index. */
export function pickFor(text: string, count: number): number {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash % count;
}
