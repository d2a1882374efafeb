import { type Kind, kindWords, wordsIn } from './words.ts';

/** A message to be searched by words. */
export type Wording = { id: string; text: string } & Kind;

/** So many messages of a batch are stored as places at most; more as bits, which take less then. */
const PLACES_MAX = 16;

/** Rows of `message_words`, column by column; arrays and bits as PostgreSQL writes them. */
export type WordRows = {
  words: string[];
  places: (string | null)[];
  ids: (string | null)[];
  bits: (string | null)[];
};

/** What a batch of messages, in the order of their ids, adds to `message_words`. */
export function wordRows(messages: readonly Wording[]): WordRows {
  const placesOf = new Map<string, number[]>();
  for (const [place, message] of messages.entries()) {
    for (const one of [...wordsIn(message.text), ...kindWords(message)]) {
      const places = placesOf.get(one);
      if (places) places.push(place);
      else placesOf.set(one, [place]);
    }
  }
  const rows: WordRows = { words: [], places: [], ids: [], bits: [] };
  for (const one of [...placesOf.keys()].toSorted()) {
    const places = placesOf.get(one) ?? [];
    const isFew = places.length <= PLACES_MAX;
    rows.words.push(one);
    rows.places.push(isFew ? `{${places.join(',')}}` : null);
    rows.ids.push(isFew ? `{${places.map((place) => messages[place]?.id).join(',')}}` : null);
    rows.bits.push(isFew ? null : hexBits(places, messages.length));
  }
  return rows;
}

/** Bits in hexadecimal, the first place leftmost. */
function hexBits(places: readonly number[], length: number): string {
  const digits = new Uint8Array(Math.ceil(length / 4));
  for (const place of places) {
    const at = place >> 2;
    digits[at] = (digits[at] ?? 0) | (8 >> (place & 3));
  }
  return `x${Array.from(digits, (digit) => digit.toString(16)).join('')}`;
}
