/**
 * Text that the database can keep, unchanged: PostgreSQL has no U+0000, and half of a surrogate pair is
 * no character in UTF-8.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/**
 * Replaces characters that the database cannot store with U+FFFD, for texts that cannot be corrected by their author.
 */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/**
 * Normalises the reference of a bank transfer, so that it counts once however it was typed: NFKC, no blanks, control or
 * invisible characters, one kind of dash, upper case.
 */
export const bankReference = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\s]/gu, '')
    .replaceAll(/[\p{Pd}\u2212]/gu, '-')
    .toUpperCase();

/** Makes all texts of a JSON value storable, names included; returns the same value if nothing changes. */
export function storableJson<T>(value: T): T {
  if (unstorableIn(value).length === 0) return value;
  const text = JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === 'string') return storable(inner);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, own]) => [storable(name), own]));
  });
  return JSON.parse(text) as T;
}

/** The largest number of paths reported, and of characters in a path. */
const NAMED_MAX = 20;
const NAME_LENGTH_MAX = 100;

type PathNode = { value: unknown; name: string };

/**
 * The paths of all texts in a parsed input that cannot be stored: `text.body`, `to`, `messages.3.ref`. A name that
 * cannot be stored is written with U+FFFD.
 *
 * Iterates instead of recursing: untrusted input may be nested as deep as it is long.
 */
export function unstorableIn(input: unknown): string[] {
  const found: string[] = [];
  const rest: PathNode[] = [{ value: input, name: '' }];
  for (let place = rest.pop(); place && found.length < NAMED_MAX; place = rest.pop()) {
    const { value, name } = place;
    if (typeof value === 'string') {
      if (!isStorable(value)) found.push(printableName(name));
    } else if (typeof value === 'object' && value !== null) {
      for (const [own, inner] of Object.entries(value)) {
        const path = name === '' ? own : `${name}.${own}`;
        if (!isStorable(own)) found.push(printableName(path));
        else if (typeof inner === 'string' || typeof inner === 'object')
          rest.push({ value: inner, name: path });
      }
    }
  }
  return found;
}

const printableName = (path: string): string => storable(path.slice(0, NAME_LENGTH_MAX));
