import type { CannedReply } from '#contract/operator/support.ts';

/** So many are offered at once. */
const OFFERED_MAX = 8;

/** A slash at the beginning or after a blank, and the beginning of a name behind it, at the text's end. */
const ASKING = /(?:^|\s)\/([a-z0-9-]*)$/i;

/** What was typed of a canned reply's name, when the text ends in asking for one; else `undefined`. */
export const askedName = (text: string): string | undefined =>
  ASKING.exec(text)?.[1]?.toLowerCase();

/** The canned replies that fit: by the beginning of their names first, then by what is in name or text. */
export function fittingReplies(
  replies: readonly CannedReply[],
  asked: string,
): readonly CannedReply[] {
  const begins = replies.filter(({ name }) => name.startsWith(asked));
  const holds = replies.filter(
    ({ name, text }) =>
      !name.startsWith(asked) && (name.includes(asked) || text.toLowerCase().includes(asked)),
  );
  return [...begins, ...holds].slice(0, OFFERED_MAX);
}

/** A text with the canned reply in place of what asked for it; `{nama}` is the customer's name. */
export function withReply(text: string, reply: string, customer: string): string {
  const asked = askedName(text);
  const before = asked === undefined ? text : text.slice(0, text.length - asked.length - 1);
  // A function: `$&` in a name is a name.
  return before + reply.replaceAll(/\{nama\}/gi, () => customer);
}
