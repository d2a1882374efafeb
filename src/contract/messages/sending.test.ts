import { expect, test } from 'vitest';
import { Emoji } from './sending.ts';

test.each(['', '👍', '❤', '❤️', '👍🏽', '👨‍👩‍👧‍👦', '🇮🇩', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'])(
  'accepts %j as a reaction',
  (text) => {
    expect(Emoji().safeParse(text).success).toBe(true);
  },
);

test.each(['a', 'ok', '👍👍', '👍 ', ' ', '<b>', '1', '\u200D', `👍${'\u0301'.repeat(60)}`])(
  'rejects %j as a reaction',
  (text) => {
    expect(Emoji().safeParse(text).success).toBe(false);
  },
);
