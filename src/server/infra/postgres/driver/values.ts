const oid = {
  bool: 16,
  bytea: 17,
  int8: 20,
  json: 114,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  jsonb: 3802,
} as const;

const elementTypes = new Map([
  [199, oid.json],
  [1000, oid.bool],
  [1001, oid.bytea],
  [1002, 18],
  [1003, 19],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1016, oid.int8],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1041, 869],
  [1115, oid.timestamp],
  [1182, oid.date],
  [1185, oid.timestamptz],
  [1187, 1186],
  [1231, 1700],
  [2951, 2950],
  [3807, oid.jsonb],
]);
/** Object ids from here on are of types that a database defines itself. */
const OWN_TYPES = 16_384;

const isJsonType = (type: number): boolean => type === oid.json || type === oid.jsonb;

/** A value for `json` or `jsonb`; other values are refused there. */
export class Json {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

type Scalar = string | number | bigint | boolean | Date | Uint8Array | Json | null;
export type Parameter = Scalar | readonly Parameter[];

/** The type a value declares, so that expressions get it too; 0 if the server infers it. */
export function declaredType(value: unknown): number {
  if (typeof value === 'boolean') return oid.bool;
  if (typeof value !== 'object' || value === null) return 0;
  if (value instanceof Date) return oid.timestamptz;
  return value instanceof Uint8Array ? oid.bytea : 0;
}

/**
 * @param type the object id of the server's type; 0 if unknown.
 * @throws TypeError if the value does not fit the type, RangeError if an integer is not exact.
 */
export function encode(value: unknown, type: number): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Json) {
    if (type !== 0 && !isJsonType(type)) throw mismatch('JSON', type);
    const text = JSON.stringify(value.value) as string | undefined;
    if (text === undefined)
      throw new TypeError('a parameter has no JSON: it is undefined or a function');
    return text;
  }
  if (isJsonType(type)) throw mismatch('no JSON: wrap it in json()', type);
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      if (type === oid.int8) requireSafe(value);
      return String(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return encodeObject(value, type);
  }
}

function encodeObject(value: unknown, type: number): string | Buffer {
  if (Array.isArray(value)) {
    const element = elementTypes.get(type);
    if (element === undefined && type !== 0 && type < OWN_TYPES) throw mismatch('an array', type);
    return encodeArray(value, element ?? 0);
  }
  if (value instanceof Date) {
    if (type === oid.date) throw mismatch('a Date: give YYYY-MM-DD', type);
    return value.toISOString();
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  throw new TypeError(`a statement cannot take ${value === undefined ? 'undefined' : 'an object'}`);
}

function encodeArray(values: readonly unknown[], type: number): string {
  let text = '{';
  for (const [at, value] of values.entries()) {
    if (at > 0) text += ',';
    if (value === null) text += 'NULL';
    else if (typeof value === 'string' && !isJsonType(type)) text += quoteElement(value);
    else if (Array.isArray(value)) text += encodeArray(value, type);
    else {
      const encoded = encode(value, type);
      if (typeof encoded === 'string')
        text += typeof value === 'number' ? encoded : quoteElement(encoded);
      else text += `"\\\\x${encoded?.toString('hex') ?? ''}"`;
    }
  }
  return `${text}}`;
}

const quoteElement = (text: string): string =>
  /["\\]/.test(text) ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : `"${text}"`;

const mismatch = (what: string, type: number): TypeError =>
  new TypeError(`a parameter is ${what}, and the statement takes the type ${type}`);

function requireSafe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe whole number: ${value}`);
  return value;
}

export type Parse = (text: string) => unknown;

const asText: Parse = (text) => text;

function parseSafe(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe whole number: ${text}`);
  return value;
}

/** Connections use UTC: `2026-11-21 02:05:00.123+00`, which `Date` parses fastest as ISO 8601. */
const parseTime = (text: string): Date =>
  parseDate(text.endsWith('+00') ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : text);

function parseDate(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new RangeError(`not a time that a Date can tell: ${text}`);
  return date;
}

const parsers = new Map<number, Parse>([
  [oid.bool, (text) => text === 't'],
  [oid.bytea, (text) => Buffer.from(text.slice(2), 'hex')],
  [oid.int8, parseSafe],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
  [oid.json, (text) => JSON.parse(text) as unknown],
  [oid.jsonb, (text) => JSON.parse(text) as unknown],
  [oid.timestamp, parseDate],
  [oid.timestamptz, parseTime],
]);

function parseArray(text: string, parse: Parse): unknown[] {
  // Arrays whose lower bound is not 1 begin with their bounds: `[0:1]={…}`.
  let at = text.indexOf('{');
  const readElements = (): unknown[] => {
    const elements: unknown[] = [];
    at++;
    while (text[at] !== '}') {
      if (text[at] === '{') elements.push(readElements());
      else if (text[at] === '"') elements.push(parse(readQuoted()));
      else elements.push(readBare());
      if (text[at] === ',') at++;
    }
    at++;
    return elements;
  };
  const readQuoted = (): string => {
    const start = ++at;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    return text.slice(start, at++).replace(/\\(.)/gs, '$1');
  };
  const readBare = (): unknown => {
    const start = at;
    while (text[at] !== ',' && text[at] !== '}') at++;
    const word = text.slice(start, at);
    return word === 'NULL' ? null : parse(word);
  };
  return readElements();
}

for (const [array, element] of elementTypes) {
  const parse = parsers.get(element) ?? asText;
  parsers.set(array, (text) => parseArray(text, parse));
}

export const parserOf = (type: number): Parse => parsers.get(type) ?? asText;
