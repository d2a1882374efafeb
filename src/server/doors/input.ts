import type * as z from 'zod/mini';
import { Refusal } from '#contract/refusals.ts';
import { unstorableIn } from '#contract/text.ts';
import type { Language } from './problem.ts';
import { fieldsOf, inIndonesian } from './sentences.ts';

const unstorable: Record<Language, string> = {
  id: 'Ada karakter yang tidak dapat disimpan (U+0000 atau separuh pasangan surrogate). Hapus lalu coba lagi.',
  en: 'Contains a character that cannot be kept (U+0000 or half of a surrogate pair). Remove it and try again.',
};

/**
 * What strangers sent, as its schema reads it. The one gate of every way in, form, JSON, address and
 * metadata: before any schema, a text that the database cannot keep is refused wherever it stands, so
 * that it fails here, alone, and not in a statement that carries other people's requests.
 *
 * @throws Refusal `input_invalid` with a sentence for each field, unknown ones included.
 */
export function readInput<Schema extends z.ZodMiniType>(
  schema: Schema,
  given: unknown,
  language: Language = 'id',
): z.output<Schema> {
  const places = unstorableIn(given);
  if (places.length > 0) {
    const fields = Object.fromEntries(places.map((place) => [place, unstorable[language]]));
    throw new Refusal('input_invalid', { fields });
  }
  const read = schema.safeParse(given, { error: inIndonesian });
  if (read.success) return read.data;
  throw new Refusal('input_invalid', { fields: fieldsOf(read.error.issues) });
}
