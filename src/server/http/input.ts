import type * as z from 'zod/mini';
import type { InBoth, Language } from '#contract/language/language.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { unstorableIn } from '#contract/base/text.ts';
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
