/**
 * The portal's wire: flat fields, `name[]` for lists, JSON text for structured values
 * (docs/wire.md#envelope; why the limits: docs/threats.md, T31).
 */
export const FORM_LIMITS = {
  pairs: 1000,
  bytes: 65_536,
  nameLength: 100,
  listLength: 500,
} as const;

const prototypeNames = new Set(['__proto__', 'constructor', 'prototype']);
const uniqueFields = new Set(['act', 'token', 'fcm', 'key']);

export class FormError extends Error {
  readonly why: string;

  constructor(why: string) {
    super(`form: ${why}`);
    this.name = 'FormError';
    this.why = why;
  }
}

export type Fields = Map<string, string | string[]>;

/**
 * Collects pairs into a map: names ending in `[]` become lists (without the brackets), for other
 * names the last one wins; a doubled envelope field and names that could reach a prototype are
 * refused.
 *
 * @throws FormError
 */
export function fieldsFrom(pairs: Iterable<readonly [string, string]>): Fields {
  const fields: Fields = new Map();
  let count = 0;
  for (const [name, value] of pairs) {
    count += 1;
    if (count > FORM_LIMITS.pairs) throw new FormError('terlalu banyak isian');
    if (name.length > FORM_LIMITS.nameLength) throw new FormError('nama isian terlalu panjang');
    const isList = name.endsWith('[]');
    const bare = isList ? name.slice(0, -2) : name;
    if (prototypeNames.has(bare) || bare === '') throw new FormError('nama isian tidak dikenal');
    const before = fields.get(bare);
    if (isList) {
      const list = Array.isArray(before) ? before : [];
      if (before !== undefined && !Array.isArray(before)) throw new FormError('isian ganda');
      if (list.length >= FORM_LIMITS.listLength) throw new FormError('daftar terlalu panjang');
      list.push(value);
      fields.set(bare, list);
    } else {
      if (Array.isArray(before)) throw new FormError('isian ganda');
      if (before !== undefined && uniqueFields.has(bare)) throw new FormError('isian ganda');
      fields.set(bare, value);
    }
  }
  return fields;
}

/** Splits a urlencoded body; `+` is a space; bytes that are not UTF-8 are refused. */
export function* pairsOf(body: string): Generator<readonly [string, string]> {
  if (body === '') return;
  let from = 0;
  while (from <= body.length) {
    const end = body.indexOf('&', from);
    const part = body.slice(from, end === -1 ? body.length : end);
    if (part !== '') {
      const equals = part.indexOf('=');
      yield equals === -1
        ? [decoded(part), '']
        : [decoded(part.slice(0, equals)), decoded(part.slice(equals + 1))];
    }
    if (end === -1) return;
    from = end + 1;
  }
}

function decoded(text: string): string {
  const spaced = withSpaces(text);
  if (!text.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new FormError('isian bukan UTF-8');
  }
}

const PLUS = 0x2b;
const SPACE = 0x20;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Replaces `+` by spaces on bytes: a text with millions of them would be split into as many pieces. */
function withSpaces(text: string): string {
  if (!text.includes('+')) return text;
  const bytes = encoder.encode(text);
  for (let at = bytes.indexOf(PLUS); at < bytes.length; at += 1) {
    if (bytes[at] === PLUS) bytes[at] = SPACE;
  }
  return decoder.decode(bytes);
}

/** Parses a urlencoded body. @throws FormError also if it is over 64 kB or 1,000 pairs. */
export function parseForm(body: string): Fields {
  if (body.length > FORM_LIMITS.bytes) throw new FormError('isian terlalu besar');
  return fieldsFrom(pairsOf(body));
}

/**
 * Encodes an input as form pairs: `undefined` is left out, `null` is an empty text, lists get `[]`, objects are JSON
 * text.
 */
export function toPairs(input: Readonly<Record<string, unknown>>): [string, string][] {
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      for (const item of value) pairs.push([`${name}[]`, asText(item)]);
    } else {
      pairs.push([name, asText(value)]);
    }
  }
  return pairs;
}

function asText(value: unknown): string {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
