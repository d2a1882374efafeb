import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** How many of them somebody has, and letters of a name and a text, at most. */
export const REPLY_MAX = { all: 100, name: 40, text: 4096 } as const;

/** A text that is written often; `/` and the beginning of its name bring it into the box. */
export const QuickReply = schema(() =>
  z.object({ name: z.string(), text: z.string(), updated_at: z.coerce.date() }),
);
export type QuickReply = Output<typeof QuickReply>;

/** What is typed behind the slash. */
export const ReplyName = schema(() =>
  z
    .string()
    .check(
      z.trim(),
      z.toLowerCase(),
      z.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'Pakai huruf kecil, angka, dan tanda hubung.'),
    ),
);

/** `{nama}` in it stands for the name of who is answered. */
export const ReplyText = schema(() =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Tulis jawabannya.'),
      z.maxLength(REPLY_MAX.text, `Jawaban paling panjang ${REPLY_MAX.text} karakter.`),
    ),
);

/** By name, all of the account's. */
export const listQuickReplies = act({
  name: 'quick_reply_list',
  by: 'customer',
  output: () => z.object({ replies: z.array(QuickReply()) }),
});

/** A new one, or the text of one that stands. */
export const saveQuickReply = act({
  name: 'quick_reply_save',
  by: 'customer',
  changes: true,
  input: () => ({ name: ReplyName(), text: ReplyText() }),
  output: QuickReply,
  refuses: ['quick_replies_full'],
});

/** Deletes one by its name; `not_found` where there is none. */
export const deleteQuickReply = act({
  name: 'quick_reply_delete',
  by: 'customer',
  changes: true,
  input: () => ({ name: ReplyName() }),
  output: () => z.object({}),
});
