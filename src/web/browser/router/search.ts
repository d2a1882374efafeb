import { decoded } from './decoded.ts';

/** A query string as a map: names ending in `[]` are lists, without the brackets. */
export type Params = Map<string, string | readonly string[]>;

const plain = (text: string): string => decoded(text.replaceAll('+', ' '));

/**
 * Parses a query string (with or without `?`): `+` is a blank, `a[]=1` is a list even with one value, of other names
 * the last one wins. A map, so that no name reaches an object's prototype.
 */
export function readParams(query: string): Params {
  const params: Params = new Map();
  for (const pair of query.replace(/^\?/, '').split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = plain(at === -1 ? pair : pair.slice(0, at));
    const value = at === -1 ? '' : plain(pair.slice(at + 1));
    if (!name.endsWith('[]')) {
      params.set(name, value);
      continue;
    }
    const bare = name.slice(0, -2);
    const before = params.get(bare);
    params.set(bare, Array.isArray(before) ? [...before, value] : [value]);
  }
  return params;
}

/** The same for the router, as an object without a prototype. */
export function parseSearch(query: string): Record<string, unknown> {
  const search = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of readParams(query)) {
    if (name !== '__proto__') search[name] = value;
  }
  return search;
}

const written = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Serializes a query (with `?`, or '' when empty) for `parseSearch`. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === '') continue;
    if (Array.isArray(value)) for (const item of value) params.append(`${name}[]`, written(item));
    else params.set(name, written(value));
  }
  const text = params.toString().replaceAll('%5B%5D', '[]');
  return text === '' ? '' : `?${text}`;
}
