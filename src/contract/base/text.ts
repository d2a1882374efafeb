/**
 * Text that the database can keep, unchanged: PostgreSQL has no U+0000, and half of a surrogate pair is
 * no character in UTF-8.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** A text as the database can keep it: what it cannot keep becomes U+FFFD. For texts that nobody can be asked to correct. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/**
 * The reference of a bank transfer in its one spelling, so that it counts once however it was typed: NFKC, no
 * blanks, control or invisible characters, one kind of dash, upper case.
 */
export const bankReference = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\s]/gu, '')
    .replaceAll(/[\p{Pd}\u2212]/gu, '-')
    .toUpperCase();

/** A JSON value with all its texts, names included, as the database can keep them; itself when they all are. */
export function storableJson<T>(value: T): T {
  if (unstorableIn(value).length === 0) return value;
  const text = JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === 'string') return storable(inner);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, own]) => [storable(name), own]));
  });
  return JSON.parse(text) as T;
}

/** How many texts are named at most, and the characters of a name. */
const NAMED_MAX = 20;
const NAME_LENGTH_MAX = 100;

type Place = { value: unknown; name: string };

/**
 * Where in a parsed input, however deep, a text stands that cannot be kept: `text.body`, `to`,
 * `messages.3.ref`. A name inside that cannot be kept is told with U+FFFD in its place.
 *
 * Walks without recursion: what strangers send may be nested as deep as it is long.
 */
export function unstorableIn(input: unknown): string[] {
  const found: string[] = [];
  const rest: Place[] = [{ value: input, name: '' }];
  for (let place = rest.pop(); place && found.length < NAMED_MAX; place = rest.pop()) {
    const { value, name } = place;
    if (typeof value === 'string') {
      if (!isStorable(value)) found.push(named(name));
    } else if (typeof value === 'object' && value !== null) {
      for (const [own, inner] of Object.entries(value)) {
        const path = name === '' ? own : `${name}.${own}`;
        if (!isStorable(own)) found.push(named(path));
        else if (typeof inner === 'string' || typeof inner === 'object')
          rest.push({ value: inner, name: path });
      }
    }
  }
  return found;
}

const named = (path: string): string => storable(path.slice(0, NAME_LENGTH_MAX));
