import * as z from 'zod/mini';
import { CardPhone, TypedPeer } from '#contract/messages/peer.ts';
import { schema } from '#contract/base/schema.ts';
import type { InBoth } from '#contract/language/language.ts';

/** What a field takes, where its schema cannot say it: in words, or by an example within a larger one. */
export const fieldNotes = z.registry<{ expected?: InBoth; example?: unknown }>();

/** A schema with a note on what it takes: one of its own, for others have the same without the note. */
export function noted<Schema extends z.ZodMiniType>(
  schema: Schema,
  note: z.core.$replace<NonNullable<ReturnType<typeof fieldNotes.get>>, Schema>,
): Schema {
  const own = schema.clone();
  fieldNotes.add(own, note);
  return own;
}

const phoneNote = {
  expected: {
    id: 'nomor telepon sebagai teks, misalnya "0812-3456-7890" atau "6281234567890"',
    en: 'a phone number as a string, such as "0812-3456-7890" or "6281234567890"',
  },
  example: '0812-3456-7890',
};

/** A phone as people write it. */
export const WrittenPhone = schema(() => noted(z.pipe(z.string(), CardPhone()), phoneNote));

/** Who a message goes to: a phone as people write it, or the user id of somebody whose number is not shown. */
export const Recipient = schema(() => noted(z.pipe(z.string(), TypedPeer()), phoneNote));
