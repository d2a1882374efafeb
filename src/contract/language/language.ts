/** The languages that `/v1` speaks: Indonesian unless the caller prefers English. */
export type Language = 'id' | 'en';

/** The same in every language that `/v1` speaks. */
export type InBoth = Readonly<Record<Language, string>>;

/**
 * The language for a caller's `Accept-Language` (RFC 9110, 12.5.4): English when it is preferred to
 * Indonesian, or as welcome and named first; Indonesian otherwise. Other languages are passed over.
 */
export function languageOf(accepted: string | undefined): Language {
  const english = preferenceFor('en', accepted);
  const indonesian = preferenceFor('id', accepted);
  if (english.q !== indonesian.q) return english.q > indonesian.q ? 'en' : 'id';
  return english.q > 0 && english.place < indonesian.place ? 'en' : 'id';
}

/** How welcome a language is: its weight (0 when it is not named), and its place in the header. */
function preferenceFor(language: Language, accepted = ''): { q: number; place: number } {
  for (const [place, range] of accepted.slice(0, HEADER_MAX).split(',').entries()) {
    const [tag = '', ...parameters] = range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    if (tag.split('-', 1)[0] !== language) continue;
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
    const q = /^[01](\.\d{0,3})?$/.test(weight) ? Math.min(1, Number(weight)) : 0;
    return { q, place };
  }
  return { q: 0, place: Infinity };
}

const HEADER_MAX = 500;
