/** A part of an address in plain text; as it is written where somebody has broken it. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
