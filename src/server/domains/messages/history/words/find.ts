import { idFloor } from '#contract/base/ids.ts';
import type { Fragment, Tx } from '#server/infra/postgres/database.ts';
import {
  FIRST_ID,
  LAST_ID,
  type PageQuery,
  dayStartMs,
  inTimeRange,
  matchesFilter,
} from '#server/domains/messages/history/pages.ts';
import { sqlOrder } from '#server/domains/messages/history/rows.ts';
import { isLate } from './indexing.ts';
import { kindWords, matcherOf } from './words.ts';

/**
 * So many messages without a batch are looked through at most, the newest. There are fewer, but while the
 * messages of an existing installation are taken in, or a thousand a second come to one account.
 */
const TAIL_MAX = 20_000;

/** Which messages with all of some words, from `wordsIn`; no status narrows them. */
export type WordQuery = PageQuery & {
  words: readonly string[];
  max: number;
  /** At offset 0: no more than lie in about so many pages of the database. */
  reads?: number;
};

type Mark = { upto: string; position: number };

/**
 * A query of one row, for `from`: `o_total`, how many messages have all words among those that the filter lets
 * through but for their status, counted to `max`; `o_ids`, those of the page in its order; and `o_all`, whether these
 * are all.
 */
export async function foundWords(tx: Tx, query: WordQuery): Promise<{ found: Fragment }> {
  const { accountId, words, filter, order, offset, limit, max, reads } = query;
  const [mark] = await tx<Mark[]>`
    select upto, position from word_marks where account_id = ${accountId}`;
  const others = await tailWith(tx, query, mark);
  const from = filter.from === undefined ? FIRST_ID : idFloor(dayStartMs(filter.from));
  const until = filter.until === undefined ? LAST_ID : idFloor(dayStartMs(filter.until));
  // Wrapped: a query that a promise brings would be sent.
  const found = tx`find_words(
    ${accountId}, ${[...words, ...kindWords(filter)]}::text[], ${from}::uuid, ${until}::uuid,
    ${mark?.upto ?? null}::uuid, ${others}::uuid[], ${order === 'newest'}::boolean,
    ${Math.min(offset, max)}::int, ${limit}::int, ${max}::int, ${reads ?? null}::int
  )`;
  return { found };
}

/** The messages with all words that are in no batch yet. */
async function tailWith(tx: Tx, query: WordQuery, mark: Mark | undefined): Promise<string[]> {
  const { words } = query;
  const candidates = await tx<{ id: string; text: string }[]>`
    select t.id, t.text from (${tailOf(tx, query, mark)}) t
    -- Text of other letters than ASCII's is looked at below: what is one word may be written in many ways.
    where octet_length(t.text) > length(t.text)
      or lower(t.text) like all (${words.map((word) => `%${word}%`)}::text[])`;
  const matches = matcherOf(words);
  return candidates.filter(({ text }) => matches(text)).map(({ id }) => id);
}

/** The messages that are in no batch, as far as the filter lets them through: after the mark, or late below it. */
const tailOf = (tx: Tx, { accountId, filter }: WordQuery, mark: Mark | undefined): Fragment => {
  const { direction, type, tokenId } = filter;
  const kind = matchesFilter(tx, { direction, type, tokenId });
  const after = tx`
    select m.message_id as id, message_text(m.type, m.body) as text from (
      select m.message_id, m.type, m.direction, m.token_id, m.body from messages m
      where m.account_id = ${accountId} and m.message_id > ${mark?.upto ?? FIRST_ID} ${inTimeRange(tx, filter)}
      order by m.message_id ${sqlOrder(tx, 'newest')} limit ${TAIL_MAX}
    ) m where true ${kind} offset 0`;
  return mark === undefined
    ? after
    : tx`(${after}) union all
    select m.message_id, message_text(m.type, m.body) from (
      select e.message_id from message_changes e
      where e.account_id = ${accountId} and e.position > ${mark.position} and ${isLate(tx, accountId, mark)}
        and e.type is not null and e.status_before is null
      union
      select e.message_id from unpublished_messages e
      where e.account_id = ${accountId} and ${isLate(tx, accountId, mark)}
    ) l
    join messages m on m.account_id = ${accountId} and m.message_id = l.message_id ${inTimeRange(tx, filter)} ${kind}`;
};
