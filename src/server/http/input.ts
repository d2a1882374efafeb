import type * as z from 'zod/mini';
import type { Bilingual, Language } from '#contract/language/language.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { unstorableIn } from '#contract/base/text.ts';
import { readWithKnown } from '#contract/messages/peer.ts';

const unstorable: Bilingual = {
  id: 'Ada karakter yang tidak dapat disimpan (U+0000 atau separuh pasangan surrogate). Hapus lalu coba lagi.',
  en: 'Contains a character that cannot be kept (U+0000 or half of a surrogate pair). Remove it and try again.',
};

/**
 * Refuses texts that the database cannot store, before any schema, for every kind of input: form, JSON, address and
 * metadata. The input thus fails here, alone, and not in a statement that carries other requests.
 *
 * @param whole the field name for an input that is itself such a text.
 * @returns the refusal `input_invalid` with a sentence per field; undefined when all can be stored.
 */
export function refuseUnstorable(
  given: unknown,
  language: Language,
  whole = 'body',
): Refusal | undefined {
  const places = unstorableIn(given);
  if (places.length === 0) return undefined;
  const fields = Object.fromEntries(places.map((place) => [place || whole, unstorable[language]]));
  return new Refusal('input_invalid', { fields });
}

/** Restores a `+` before a number that was not written as `%2B`, and so was decoded as a space. */
export const restorePlus = (value: string): string => value.replace(/^ (?=[1-9]\d)/, '+');

/**
 * The same for a comma-separated list. A single space after a comma may be only formatting: it is a `+` only where
 * the first number has one too.
 */
export function restorePluses(list: string): string {
  const isWritten = restorePlus(list) !== list;
  const blanks = isWritten ? /(?<=,) +(?=[1-9]\d)/g : /(?<=,) {2,}(?=[1-9]\d)/g;
  return restorePlus(list).replace(blanks, '+');
}

/** Selects the numbers, without a `+`, that an account knows in exactly these digits. */
export type KnownNumbers = (
  accountId: string,
  numbers: readonly string[],
) => Promise<ReadonlySet<string>>;

/**
 * Reads an input that may name phones. A number that the account knows exactly as written wins over the specified
 * normalisation. All such numbers of an input are looked up together; an input without them costs nothing.
 *
 * @returns the input as read, and as the normalisation alone reads it: the same for every repeat of a request.
 */
export async function readWithKnownNumbers<T>(
  known: KnownNumbers,
  accountId: string,
  read: () => T,
): Promise<{ read: T; byRule: T }> {
  const exact = new Set<string>();
  const byRule = readWithKnown((digits) => {
    exact.add(digits);
    return false;
  }, read);
  const found = exact.size === 0 ? exact : await known(accountId, [...exact]);
  if (found.size === 0) return { read: byRule, byRule };
  return { read: readWithKnown((digits) => found.has(digits), read), byRule };
}

/** @throws Refusal `input_invalid` with a sentence for each field, unknown ones included. */
export function readInput<Schema extends z.ZodMiniType>(
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const no = refuseUnstorable(given, 'id');
  if (no) throw no;
  const read = schema.safeParse(given, { error: inIndonesian });
  if (read.success) return read.data;
  throw new Refusal('input_invalid', { fields: fieldsOf(read.error.issues) });
}

type Issue = z.core.$ZodRawIssue;

/** zod's own messages in Indonesian; a schema's own message takes precedence. */
function inIndonesian(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'Wajib diisi.' : wrongType(issue.expected);
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum));
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum));
    case 'invalid_value':
      return issue.input === undefined ? 'Wajib diisi.' : 'Pilihan ini tidak dikenal.';
    case 'invalid_format':
      return 'Format isian ini tidak dikenali.';
    case 'unrecognized_keys':
      return 'Isian ini tidak dikenal.';
    default:
      return 'Isian ini tidak dapat dipakai.';
  }
}

const wrongType = (expected: string): string =>
  ['number', 'int', 'bigint', 'nan'].includes(expected)
    ? 'Tulis angka.'
    : expected === 'array'
      ? 'Isi berupa daftar.'
      : 'Isian ini tidak dapat dipakai.';

const figure = new Intl.NumberFormat('id-ID');

function tooSmall(origin: string, minimum: number): string {
  if (origin === 'string')
    return minimum <= 1 ? 'Wajib diisi.' : `Minimal ${figure.format(minimum)} karakter.`;
  if (origin === 'array') return `Pilih minimal ${figure.format(minimum)}.`;
  return `Paling kecil ${figure.format(minimum)}.`;
}

function tooBig(origin: string, maximum: number): string {
  if (origin === 'string') return `Paling panjang ${figure.format(maximum)} karakter.`;
  if (origin === 'array') return `Paling banyak ${figure.format(maximum)}.`;
  return `Paling besar ${figure.format(maximum)}.`;
}

const NAMED_MAX = 20;

function fieldsOf(issues: readonly z.core.$ZodIssue[]): Record<string, string> {
  const fields = new Map<string, string>();
  for (const issue of issues) {
    const names =
      issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.map(String).join('.') || 'act'];
    for (const name of names) {
      if (fields.size < NAMED_MAX && !fields.has(name)) fields.set(name, issue.message);
    }
  }
  return Object.fromEntries(fields);
}
