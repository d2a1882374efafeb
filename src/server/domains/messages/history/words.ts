import { idFloor } from '#contract/base/ids.ts';
import type { Fragment, Tx, Sql } from '#server/infra/postgres/database.ts';
import {
  FIRST_ID,
  LAST_ID,
  type PageQuery,
  dayStartMs,
  inTimeRange,
  matchesFilter,
} from '#server/domains/messages/history/pages.ts';
import { sqlOrder } from '#server/domains/messages/history/rows.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { newestPositions } from '#server/domains/events/events.ts';

const LETTERS = { min: 2, max: 40 };
const WORDS_MAX = 200;

const word = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * The words of a text: runs of letters and digits of any script, in lower case, in one Unicode form (NFKC), each once.
 * Stored and typed texts both use it, so that their words match.
 */
export function wordsIn(text: string): string[] {
  const found = new Set<string>();
  for (const one of text.normalize('NFKC').toLowerCase().match(word) ?? []) {
    if (one.length >= LETTERS.min && one.length <= LETTERS.max) found.add(one);
    if (found.size === WORDS_MAX) break;
  }
  return [...found];
}

/**
 * Fast path for a short ASCII text: it is within the limit of words, and needs no normalization.
 */
const plain = /^\p{ASCII}{0,400}$/u;

export function matcherOf(words: readonly string[]): (text: string) => boolean {
  const whole = words.map((one) => new RegExp(`(?<![a-z0-9])${one}(?![a-z0-9])`, 'i'));
  return (text) => {
    if (plain.test(text)) return whole.every((one) => one.test(text));
    const has = new Set(wordsIn(text));
    return words.every((one) => has.has(one));
  };
}

/**
 * SQL of the text by which messages `m` are searched. Keep it stable: indexed text stays as it was.
 */
export const messageText = (tx: Tx): Fragment => tx`
  case m.type
    when 'text' then concat_ws(' ', m.body ->> 'text', m.body -> 'choice' ->> 'title')
    else concat_ws(' ', m.body ->> 'text', m.body ->> 'caption', m.body ->> 'filename', m.body ->> 'name',
      m.body ->> 'address', m.body ->> 'header', m.body ->> 'footer')
  end`;

export type Kind = {
  direction?: string | undefined;
  type?: string | undefined;
  tokenId?: string | undefined;
};

/** Words that no text has: of a message's kind, or of a filter by it. */
export const kindWords = ({ direction, type, tokenId }: Kind): string[] =>
  [direction, type, tokenId].flatMap((value) => (value === undefined ? [] : [`=${value}`]));

/**
 * Limit of scanned messages without a batch, newest first. It is reached only while the messages of an existing
 * installation are indexed, or at a thousand new messages a second in one account.
 */
const TAIL_MAX = 20_000;

export type WordQuery = PageQuery & {
  words: readonly string[];
  max: number;
  /** At offset 0: only as many as lie in about this many pages of the database. */
  reads?: number;
};

type Mark = { upto: string; position: number };

/**
 * A query of one row, for `from`: `o_total`, the number of messages with all words that match the filter without its
 * status, counted to `max`; `o_ids`, those of the page in its order; and `o_all`, whether these are all.
 */
export async function foundWords(tx: Tx, query: WordQuery): Promise<{ found: Fragment }> {
  const { accountId, words, filter, order, offset, limit, max, reads } = query;
  const [mark] = await tx<Mark[]>`
    select upto, position from word_cursors where account_id = ${accountId}`;
  const others = await tailWith(tx, query, mark);
  const from = filter.from === undefined ? FIRST_ID : idFloor(dayStartMs(filter.from));
  const until = filter.until === undefined ? LAST_ID : idFloor(dayStartMs(filter.until));
  // Wrapped: awaiting a bare query would send it.
  const found = tx`find_words(
    ${accountId}, ${[...words, ...kindWords(filter)]}::text[], ${from}::uuid, ${until}::uuid,
    ${mark?.upto ?? null}::uuid, ${others}::uuid[], ${order === 'newest'}::boolean,
    ${Math.min(offset, max)}::int, ${limit}::int, ${max}::int, ${reads ?? null}::int
  )`;
  return { found };
}

async function tailWith(tx: Tx, query: WordQuery, mark: Mark | undefined): Promise<string[]> {
  const { words } = query;
  const candidates = await tx<{ id: string; text: string }[]>`
    select t.id, t.text from (${tailOf(tx, query, mark)}) t
    -- Text with non-ASCII letters is compared below: one word may be encoded in several ways.
    where octet_length(t.text) > length(t.text)
      or lower(t.text) like all (${words.map((word) => `%${word}%`)}::text[])`;
  const matches = matcherOf(words);
  return candidates.filter(({ text }) => matches(text)).map(({ id }) => id);
}

/** Messages in no batch that match the filter: after the mark, or late below it. */
const tailOf = (tx: Tx, { accountId, filter }: WordQuery, mark: Mark | undefined): Fragment => {
  const { direction, type, tokenId } = filter;
  const kind = matchesFilter(tx, { direction, type, tokenId });
  const after = tx`
    select m.message_id as id, ${messageText(tx)} as text from (
      select m.message_id, m.type, m.direction, m.token_id, m.body from messages m
      where m.account_id = ${accountId} and m.message_id > ${mark?.upto ?? FIRST_ID} ${inTimeRange(tx, filter)}
      order by m.message_id ${sqlOrder(tx, 'newest')} limit ${TAIL_MAX}
    ) m where true ${kind} offset 0`;
  return mark === undefined
    ? after
    : tx`(${after}) union all
    select m.message_id, ${messageText(tx)} from (
      select e.message_id from message_changes e
      where e.account_id = ${accountId} and e.position > ${mark.position} and ${isLate(tx, accountId, mark)}
        and e.type is not null and e.status_before is null
      union
      select e.message_id from unpublished_messages e
      where e.account_id = ${accountId} and ${isLate(tx, accountId, mark)}
    ) l
    join messages m on m.account_id = ${accountId} and m.message_id = l.message_id ${inTimeRange(tx, filter)} ${kind}`;
};

/** Messages of a batch; also the number of new events after which an account may have one. */
const BATCH = 2_048;
const SWEEP_MS = 10_000;
/** Messages younger than this wait: lower ids may still be uncommitted. */
const SETTLED = '5 seconds';

type Indexing = {
  index: () => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Starts indexing the words of messages, a batch at a time, including messages from before the index existed. Any
 * number of processes may run it. Between two batches it pauses as long as one took.
 */
export function startIndexing({
  allAccountsSql,
  report,
}: {
  allAccountsSql: Sql;
  report: (trouble: unknown) => void;
}): Indexing {
  const checked = new Map<string, number>();
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  const indexAccount = async (accountId: string) => {
    for (let isFull = true; isFull && !closing.signal.aborted;) {
      const began = performance.now();
      isFull = await indexBatch(allAccountsSql, accountId);
      if (isFull) await pause(performance.now() - began, undefined, closing).catch(() => undefined);
    }
  };
  const index = async () => {
    for (const { accountId, position } of await grownAccounts(allAccountsSql, checked)) {
      try {
        await indexAccount(accountId);
        checked.set(accountId, position);
      } catch (error: unknown) {
        report(error);
      }
    }
  };
  const run = () => {
    running ??= index()
      .catch(report)
      .finally(() => (running = undefined));
    return running;
  };
  const timer = setInterval(() => void run(), SWEEP_MS);
  return {
    index: run,
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await running;
    },
  };
}

async function grownAccounts(allAccountsSql: Sql, checked: ReadonlyMap<string, number>) {
  const marks = await allAccountsSql<{ accountId: string; position: number }[]>`
    select account_id as "accountId", position from word_cursors`;
  const marked = new Map(marks.map(({ accountId, position }) => [accountId, position]));
  return (await newestPositions(allAccountsSql)).filter(
    ({ accountId, position }) =>
      position >= (checked.get(accountId) ?? marked.get(accountId) ?? 0) + BATCH,
  );
}

/**
 * Indexes the next batch of an account's messages, and late ones below its mark, in one transaction. Does nothing while
 * another process is indexing the account.
 *
 * @param size messages of a batch.
 * @returns whether there was a whole batch: there may be another one.
 */
export async function indexBatch(
  allAccountsSql: Sql,
  accountId: string,
  size = BATCH,
): Promise<boolean> {
  if (!(await hasMark(allAccountsSql, accountId, size))) return false;
  return allAccountsSql.begin(async (tx) => {
    await tx`select set_config('enable_seqscan', 'off', true)`;
    const [mark] = await tx<Mark[]>`
      select upto, position from word_cursors where account_id = ${accountId} for update skip locked`;
    if (!mark) return false;
    const { position, late } = await lateMessages(tx, accountId, mark);
    for (let from = 0; from < late.length; from += size) {
      await storeBatch(tx, accountId, late.slice(from, from + size));
    }
    const next = await nextMessages(tx, { accountId, upto: mark.upto, size });
    await storeBatch(tx, accountId, next);
    const upto = next.at(-1)?.id ?? mark.upto;
    await tx`
      update word_cursors set upto = ${upto}, position = ${position} where account_id = ${accountId}`;
    return next.length > 0;
  });
}

/**
 * Whether an account has a mark, which it gets with its first batch, so that small accounts cost nothing.
 */
async function hasMark(allAccountsSql: Sql, accountId: string, size: number): Promise<boolean> {
  const [known] = await allAccountsSql`select from word_cursors where account_id = ${accountId}`;
  if (known) return true;
  const positions = await newestPositions(allAccountsSql);
  const position = positions.find((one) => one.accountId === accountId)?.position ?? 0;
  const { count } = await allAccountsSql`
    insert into word_cursors (account_id, upto, position)
    select ${accountId}, ${FIRST_ID}, ${position}
    where exists (
      select from messages where account_id = ${accountId} order by message_id offset ${size - 1}
    )
    on conflict do nothing`;
  return count > 0;
}

const wording = (tx: Tx): Fragment =>
  tx`m.message_id as id, ${messageText(tx)} as text, m.direction, m.type, m.token_id as "tokenId"`;

async function nextMessages(
  tx: Tx,
  { accountId, upto, size }: { accountId: string; upto: string; size: number },
): Promise<Wording[]> {
  const next = await tx<Wording[]>`
    select ${wording(tx)} from messages m
    where m.account_id = ${accountId} and m.message_id > ${upto}
      and m.message_id < uuid_floor(clock_timestamp() - ${SETTLED}::interval)
    order by m.message_id limit ${size}`;
  return next.length === size ? next : [];
}

/**
 * Messages below the mark that are in no batch, from the events after its position; and the position up to which events
 * were read.
 */
async function lateMessages(tx: Tx, accountId: string, mark: Mark) {
  const [found] = await tx<{ position: number | null; late: string[] }[]>`
    select max(e.position) as position,
      coalesce(array_agg(e.message_id) filter (
        where e.type is not null and e.status_before is null and ${isLate(tx, accountId, mark)}
      ), '{}') as late
    from message_changes e where e.account_id = ${accountId} and e.position > ${mark.position}`;
  const late = found?.late ?? [];
  const position = found?.position ?? mark.position;
  if (late.length === 0) return { position, late: [] };
  return { position, late: await wordingOf(tx, accountId, late) };
}

/**
 * Whether an event `e` is of a message that was committed late below the mark and is in no batch.
 */
const isLate = (tx: Tx, accountId: string, { upto }: Pick<Mark, 'upto'>): Fragment => tx`
  e.message_id <= ${upto} and not exists (
    select from word_batches b
    where b.account_id = ${accountId} and b.upto >= e.message_id and b.low <= e.message_id
      and e.message_id = any (b.ids)
  )`;

const wordingOf = (tx: Tx, accountId: string, ids: readonly string[]): Promise<Wording[]> => tx<
  Wording[]
>`
  select ${wording(tx)} from messages m
  where m.account_id = ${accountId} and m.message_id = any (${ids}::uuid[]) order by m.message_id`;

/**
 * Adds the present words of a message to its batch. Called after its body has changed; a message in no batch is indexed
 * with its own later.
 */
export async function reindexMessage(
  sql: Sql,
  { accountId, messageId }: { accountId: string; messageId: string },
): Promise<void> {
  await sql.begin(async (tx) => {
    const [mark] = await tx<{ upto: string }[]>`
      select upto from word_cursors where account_id = ${accountId} for update`;
    if (mark === undefined || mark.upto < messageId) return;
    const [message] = await wordingOf(tx, accountId, [messageId]);
    if (message === undefined) return;
    const words = wordsIn(message.text);
    await tx`
      insert into message_words as w (account_id, word, upto, places, ids)
      select ${accountId}, n.word, b.upto, array[i.place]::smallint[], array[i.id]
      from word_batches b
      cross join lateral (
        select id, nth::int - 1 as place from unnest(b.ids) with ordinality as u(id, nth)
        where id = ${messageId}
      ) i
      cross join unnest(${words}::text[]) as n(word)
      where b.account_id = ${accountId} and b.upto >= ${messageId} and b.low <= ${messageId}
      on conflict (account_id, word, upto) do update set
        bits = set_bit(w.bits, excluded.places[1], 1),
        places = case when excluded.places <@ w.places then w.places else w.places || excluded.places end,
        ids = case when excluded.places <@ w.places then w.ids else w.ids || excluded.ids end`;
  });
}

async function storeBatch(tx: Tx, accountId: string, messages: readonly Wording[]): Promise<void> {
  const [low, upto] = [messages[0]?.id, messages.at(-1)?.id];
  if (low === undefined || upto === undefined) return;
  await tx`
    insert into word_batches (account_id, upto, low, ids)
    values (${accountId}, ${upto}, ${low}, ${messages.map(({ id }) => id)}::uuid[])`;
  const { words, places, ids, bits } = wordRows(messages);
  await tx`
    insert into message_words (account_id, word, upto, places, ids, bits)
    select ${accountId}, r.word, ${upto}, r.places::smallint[], r.ids::uuid[], r.bits::bit varying
    from unnest(${words}::text[], ${places}::text[], ${ids}::text[], ${bits}::text[])
      as r(word, places, ids, bits)`;
}

type Wording = { id: string; text: string } & Kind;

/**
 * Up to this many messages of a batch are stored as places; more as bits, which are then smaller.
 */
const PLACES_MAX = 16;

/** Rows of `message_words`, column by column; arrays and bits in PostgreSQL's text format. */
type WordRows = {
  words: string[];
  places: (string | null)[];
  ids: (string | null)[];
  bits: (string | null)[];
};

function wordRows(messages: readonly Wording[]): WordRows {
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

function hexBits(places: readonly number[], length: number): string {
  const digits = new Uint8Array(Math.ceil(length / 4));
  for (const place of places) {
    const at = place >> 2;
    digits[at] = (digits[at] ?? 0) | (8 >> (place & 3));
  }
  return `x${Array.from(digits, (digit) => digit.toString(16)).join('')}`;
}
