import type * as z from 'zod/mini';
import type { InBoth, Language } from '#contract/language/language.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { unstorableIn } from '#contract/base/text.ts';
import { readWithKnown } from '#contract/messages/peer.ts';
import { fieldsOf, inIndonesian } from './sentences.ts';

const unstorable: InBoth = {
  id: 'Ada karakter yang tidak dapat disimpan (U+0000 atau separuh pasangan surrogate). Hapus lalu coba lagi.',
  en: 'Contains a character that cannot be kept (U+0000 or half of a surrogate pair). Remove it and try again.',
};

/**
 * The one place for every way in, form, JSON, address and metadata: before any schema, a text that the database
 * cannot keep is refused wherever it stands, so that it fails here, alone, and not in a statement that
 * carries other people's requests.
 *
 * @param whole how the input is called where it is such a text itself.
 * @returns the refusal `input_invalid` with a sentence for each field; nothing when all can be kept.
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

/** A value of an address or a form in which a `+` before a number was written without `%2B`, and came as a blank. */
export const plusAgain = (value: string): string => value.replace(/^ (?=[1-9]\d)/, '+');

/**
 * The same for numbers between commas. A single blank behind a comma may be there for the eye: it is a `+` only where the
 * first number has one too.
 */
export function restorePluses(list: string): string {
  const isWritten = plusAgain(list) !== list;
  const blanks = isWritten ? /(?<=,) +(?=[1-9]\d)/g : /(?<=,) {2,}(?=[1-9]\d)/g;
  return plusAgain(list).replace(blanks, '+');
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
export async function readKnowing<T>(
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

/**
 * What the portal was sent, as its schema reads it.
 *
 * @throws Refusal `input_invalid` with a sentence for each field, unknown ones included.
 */
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
