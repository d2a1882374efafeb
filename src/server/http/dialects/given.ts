import { Refusal } from '#contract/base/refusals.ts';

/** A file that travelled in a body; its type as it was declared, empty where nothing is said. */
export type GivenFile = { filename: string; type: string; bytes: Buffer };

/**
 * What a call of a dialect gave, by name: texts of a form, values of JSON, files of a multipart body.
 * A map, so that no name reaches a prototype.
 */
export type Given = ReadonlyMap<string, unknown>;

/** The fields of a JSON object; undefined for anything else. */
export function givenOf(value: unknown): Given | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}

/** A field is wrong: named, with a sentence that says what it takes. */
export const wrong = (field: string, sentence: string): Refusal =>
  new Refusal('input_invalid', { fields: { [field]: sentence } });

export const isFile = (value: unknown): value is GivenFile =>
  typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);

/**
 * A field as text: numbers and truth values as JSON writes them, for forms know nothing else. Undefined
 * where it is missing, null, or empty.
 *
 * @throws Refusal `input_invalid` for a list, an object or a file.
 */
export function textOf(given: Given, name: string): string | undefined {
  const value = given.get(name);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw wrong(name, 'Harus teks.');
}

/** Whether a field says yes: `true`, `"true"`, `1`, `"1"`. */
export const saysYes = (given: Given, name: string): boolean =>
  isOneOf(given.get(name), 'true', '1');

/** Whether a field says no in so many words: `false`, `"false"`, `0`, `"0"`. */
export const saysNo = (given: Given, name: string): boolean =>
  isOneOf(given.get(name), 'false', '0');

const isOneOf = (value: unknown, ...words: readonly string[]): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) &&
  words.includes(JSON.stringify(value).replaceAll('"', '').toLowerCase());

/**
 * The parts of a list that is written with commas, or given as a JSON list of texts and numbers; without
 * what is empty.
 *
 * @throws Refusal `input_invalid` when there are more than `max`, or one of them is no text.
 */
export function listOf(given: Given, name: string, max: number): string[] {
  const value = given.get(name);
  const texts = Array.isArray(value)
    ? value.map((one, index) => textOf(new Map([[`${name}.${index}`, one]]), `${name}.${index}`))
    : (textOf(given, name) ?? '').split(',', max + 1);
  const parts = texts.map((one) => (one ?? '').trim()).filter((one) => one !== '');
  if (parts.length > max) throw wrong(name, `Paling banyak ${max} dalam satu panggilan.`);
  return parts;
}

/**
 * A whole number of a range; undefined where it is missing.
 *
 * @throws Refusal `input_invalid`
 */
export function numberOf(given: Given, name: string, max: number): number | undefined {
  const text = textOf(given, name)?.trim();
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text) || Number(text) > max) {
    throw wrong(name, `Harus bilangan bulat 0 sampai ${max}.`);
  }
  return Number(text);
}
