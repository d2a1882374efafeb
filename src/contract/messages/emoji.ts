import * as z from 'zod/mini';
import { schema } from '#contract/base/schema.ts';

const EMOJI_MAX = 40;
const pictured = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u;
const graphemes = new Intl.Segmenter('id', { granularity: 'grapheme' });

/** True for exactly one emoji as people see it, however many code points it is made of. */
export function isEmoji(text: string): boolean {
  if (text.length > EMOJI_MAX || !pictured.test(text)) return false;
  const [first, second] = graphemes.segment(text);
  return first !== undefined && second === undefined;
}

/** The emoji of a reaction; empty takes the reaction away. */
export const Emoji = schema(() =>
  z.string().check(
    z.maxLength(EMOJI_MAX),
    z.refine((text) => text === '' || isEmoji(text)),
  ),
);
