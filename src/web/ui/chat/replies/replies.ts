import type { QuickReply } from '#contract/messages/sending.ts';

/** So many are offered at once. */
const OFFERED_MAX = 8;

/** What they are called where they are offered. */
export type ReplyWords = {
  /** All of them: 'Balasan cepat'. */
  title: string;
  /** One: 'balasan'. */
  one: string;
  /** What `{nama}` becomes: 'nama kontak'. */
  person: string;
  /** Who else loses one that is deleted. */
  others: string;
};

type Reply = Pick<QuickReply, 'name' | 'text'>;

/** A slash at the beginning or after a blank, and the beginning of a name behind it, at the text's end. */
const ASKING = /(?:^|\s)\/([a-z0-9-]*)$/i;

/** What was typed of a reply's name, when the text ends in asking for one; else `undefined`. */
export const askedName = (text: string): string | undefined =>
  ASKING.exec(text)?.[1]?.toLowerCase();

/** The replies that fit: by the beginning of their names first, then by what is in name or text. */
export function fittingReplies<One extends Reply>(
  replies: readonly One[],
  asked: string,
): readonly One[] {
  const begins = replies.filter(({ name }) => name.startsWith(asked));
  const holds = replies.filter(
    ({ name, text }) =>
      !name.startsWith(asked) && (name.includes(asked) || text.toLowerCase().includes(asked)),
  );
  return [...begins, ...holds].slice(0, OFFERED_MAX);
}

/**
 * A text with the reply in place of what asked for it; `{nama}` is the name of who is answered. Of somebody without a
 * name (`person` is empty) it goes, with the comma before it.
 */
export function withReply(text: string, reply: string, person: string): string {
  const asked = askedName(text);
  const before = asked === undefined ? text : text.slice(0, text.length - asked.length - 1);
  // A function: `$&` in a name is a name.
  return (
    before +
    (person === ''
      ? reply.replaceAll(/,?[^\S\n]*\{nama\}/gi, '')
      : reply.replaceAll(/\{nama\}/gi, () => person))
  );
}
