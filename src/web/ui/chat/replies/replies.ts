import type { QuickReply } from '#contract/messages/sending.ts';

/** The maximum number of offered replies. */
const OFFERED_MAX = 8;

export type ReplyWords = {
  /** The plural: 'Balasan cepat'. */
  title: string;
  /** The singular: 'balasan'. */
  one: string;
  /** The placeholder of `{nama}`: 'nama kontak'. */
  person: string;
  /** The others who lose a deleted reply. */
  others: string;
};

type Reply = Pick<QuickReply, 'name' | 'text'>;

/** A slash at the beginning or after a blank, and the beginning of a name, at the end of the text. */
const SLASH_NAME = /(?:^|\s)\/([a-z0-9-]*)$/i;

/** The typed beginning of a reply's name, if the text ends in a slash command; else `undefined`. */
export const typedName = (text: string): string | undefined =>
  SLASH_NAME.exec(text)?.[1]?.toLowerCase();

/** The matching replies: by the beginning of their names first, then by name or text. */
export function fittingReplies<One extends Reply>(
  replies: readonly One[],
  typed: string,
): readonly One[] {
  const begins = replies.filter(({ name }) => name.startsWith(typed));
  const holds = replies.filter(
    ({ name, text }) =>
      !name.startsWith(typed) && (name.includes(typed) || text.toLowerCase().includes(typed)),
  );
  return [...begins, ...holds].slice(0, OFFERED_MAX);
}

/**
 * Replaces the slash command by the reply; `{nama}` becomes the customer's name. Without a name (`person` is empty) it
 * is removed with the comma before it.
 */
export function withReply(text: string, reply: string, person: string): string {
  const typed = typedName(text);
  const before = typed === undefined ? text : text.slice(0, text.length - typed.length - 1);
  // A function, because `$&` in a name must stay literal.
  return (
    before +
    (person === ''
      ? reply.replaceAll(/,?[^\S\n]*\{nama\}/gi, '')
      : reply.replaceAll(/\{nama\}/gi, () => person))
  );
}
