import { inAccount, onCoordinator } from '#server/infra/postgres/distribution/scope.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import { publicId } from '#contract/base/ids.ts';
import { eraseEventsAbout, hasUnpublished } from '#server/domains/events/events.ts';
import { pastPhonesOf } from '#server/domains/tokens/tokens.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { identifier } from '#server/infra/postgres/sql.ts';
import {
  type AccountData,
  type AccountDataDeps,
  type ErasureRequest,
  type Row,
  eraseRows,
  inPages,
  untilNone,
} from '#server/infra/account-data.ts';
import { type Body, withShownPhones } from './content.ts';
import { failWaiting } from './dispatch/withdraw.ts';
import { allCounts } from './history/counts.ts';
import { inOrder } from './history/timeline.ts';

/**
 * An account's messages with their timelines, its conversations, templates, quick replies and opt-outs.
 */
export const messagesAccountData = ({ sql, allAccountsSql }: AccountDataDeps): AccountData => ({
  subjects: (accountId) => [
    {
      name: 'pesan',
      about: () => countOf(allAccountsSql, accountId),
      rows: () => messagesOf(sql, accountId),
    },
    { name: 'percakapan', rows: () => conversationsOf(sql, accountId) },
    { name: 'kontak', rows: () => contactsOf(sql, accountId) },
    { name: 'templat', rows: () => templatesOf(sql, accountId) },
    { name: 'balasan-cepat', rows: () => repliesOf(sql, accountId) },
    { name: 'berhenti-menerima', rows: () => optoutsOf(sql, accountId) },
    { name: 'tampilan-pesan', rows: () => viewsOf(sql, accountId) },
  ],
  close: async (accountId) => void (await failUnsent(allAccountsSql, accountId)),
  isReady: (erasure) => isSettled(allAccountsSql, erasure),
  erase: (erasure) => erase(allAccountsSql, erasure),
});

async function countOf(allAccountsSql: Sql, accountId: string): Promise<number> {
  const [sum] = await allAccountsSql<{ messages: number }[]>`
    select coalesce(sum(messages), 0)::bigint as messages from ${allCounts(allAccountsSql, accountId)} c`;
  return sum?.messages ?? 0;
}

type Stored = Row & {
  message_id: string;
  token_id: string;
  token_name: string;
  peer: string;
  body: Body;
  timeline: { kind: string; at: string; detail: string | null }[];
};

async function* messagesOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const stored = inPages<Stored>({ sql, accountId }, (tx, last, limit) =>
    readPage(tx, { accountId, after: last?.message_id, limit }),
  );
  for await (const { message_id, token_id, token_name, peer, body, timeline, ...facts } of stored) {
    yield {
      id: publicId('message', message_id),
      token: publicId('token', token_id),
      token_name,
      peer: shownPeer(peer),
      ...facts,
      content: withFile(withShownPhones(body)),
      timeline: inOrder(timeline),
    };
  }
}

type PageQuery = { accountId: string; after: string | undefined; limit: number };

async function readPage(tx: Tx, { accountId, after, limit }: PageQuery): Promise<Stored[]> {
  // With row-level security the planner would scan whole partitions (see pages.ts).
  await tx`select set_config('enable_seqscan', 'off', true)`;
  return tx<Stored[]>`
    select m.message_id, m.token_id, t.name as token_name, m.direction, m.peer, m.type, m.status,
      m.price, m.charge_state, m.ref, m.failure, m.possible_duplicate, m.expires_at, m.created_at,
      m.body, coalesce(steps.timeline, '[]') as timeline
    from (
      select * from messages
      where account_id = ${accountId} ${after === undefined ? tx`` : tx`and message_id > ${after}`}
      order by message_id limit ${limit}
    ) m
    join tokens t on t.account_id = ${accountId} and t.token_id = m.token_id
    left join lateral (
      select jsonb_agg(jsonb_build_object('kind', e.kind, 'at', e.at, 'detail', e.detail)
        order by e.at, e.n) as timeline
      from message_events e where e.account_id = ${accountId} and e.message_id = m.message_id
    ) steps on true
    order by m.message_id`;
}

function withFile(body: Body): Body {
  const { file, ...rest } = body;
  return typeof file === 'string' ? { ...rest, file: publicId('file', file) } : body;
}

type ConversationRow = Row & { token_id: string; peer: string };

async function* conversationsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const conversations = inPages<ConversationRow>(
    { sql, accountId },
    (tx, last, limit) => tx<ConversationRow[]>`
      select token_id, peer, peer_name, unread, last_at,
        exists (
          select from pinned_conversations p
          where p.account_id = ${accountId} and (p.token_id, p.peer) = (c.token_id, c.peer)
        ) as pinned
      from conversations c
      where account_id = ${accountId} ${last ? after(tx, last) : tx``}
      order by token_id, peer limit ${limit}`,
  );
  for await (const { token_id, peer, ...facts } of conversations) {
    yield { token: publicId('token', token_id), peer: shownPeer(peer), ...facts };
  }
}

const after = (tx: Tx, { token_id, peer }: ConversationRow) =>
  tx`and (token_id, peer) > (${token_id}::uuid, ${peer}::text)`;

async function* optoutsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const optouts = inPages<ConversationRow>(
    { sql, accountId },
    (tx, last, limit) => tx<ConversationRow[]>`
      select token_id, peer, source, reason, created_at from optouts
      where account_id = ${accountId} ${last ? after(tx, last) : tx``}
      order by token_id, peer limit ${limit}`,
  );
  for await (const { token_id, peer, ...facts } of optouts) {
    yield { token: publicId('token', token_id), peer: shownPeer(peer), ...facts };
  }
}

async function* templatesOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const templates = inPages<Row & { name: string; language: string }>(
    { sql, accountId },
    (tx, last, limit) => tx<(Row & { name: string; language: string })[]>`
      select name, language, category, header, header_file, body, footer, buttons, status, reason,
        created_at
      from message_templates
      where account_id = ${accountId}
        ${last ? tx`and (name, language) > (${last.name}::text, ${last.language}::text)` : tx``}
      order by name, language limit ${limit}`,
  );
  yield* templates;
}

async function* viewsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  type View = Row & { view_id: string; user_id: string; filters: Row };
  const views = inPages<View>(
    { sql, accountId },
    (tx, last, limit) => tx<View[]>`
      select view_id, user_id, name, filters, created_at from message_views
      where account_id = ${accountId} ${last ? tx`and view_id > ${last.view_id}` : tx``}
      order by view_id limit ${limit}`,
  );
  for await (const { view_id, user_id, ...facts } of views) {
    yield { id: publicId('view', view_id), person: publicId('user', user_id), ...facts };
  }
}

async function* contactsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  type Contact = Row & { peer: string };
  const contacts = inPages<Contact>(
    { sql, accountId },
    (tx, last, limit) => tx<Contact[]>`
      select peer, name, source, updated_at from contacts
      where account_id = ${accountId} ${last ? tx`and peer > ${last.peer}::text` : tx``}
      order by peer limit ${limit}`,
  );
  for await (const { peer, ...facts } of contacts) yield { peer: shownPeer(peer), ...facts };
}

async function* repliesOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  type Reply = Row & { name: string };
  yield* inPages<Reply>(
    { sql, accountId },
    (tx, last, limit) => tx<Reply[]>`
      select name, text, updated_at from quick_replies
      where account_id = ${accountId} ${last ? tx`and name > ${last.name}::text` : tx``}
      order by name limit ${limit}`,
  );
}

const RECEIPT_WAIT_MS = 30_000;

/**
 * Fails the unsent messages of a closed account and releases their price. Messages that may have left wait for their
 * receipt first.
 *
 * @returns how many messages still wait.
 */
async function failUnsent(allAccountsSql: Sql, accountId: string): Promise<number> {
  await allAccountsSql`select recover_lane(${accountId}, null, null, false, ${RECEIPT_WAIT_MS})`;
  return failWaiting(allAccountsSql, { accountId });
}

/** A notice to a number expires after five minutes; one that is still queued after this long does not delay erasure. */
const NOTICE_TIMEOUT = '15 minutes';

/**
 * False while a message waits for its receipt, the final notice is being sent, or the relay has not published the last
 * events. Events set aside because they cannot be published do not count.
 */
async function isSettled(
  allAccountsSql: Sql,
  { accountId, phones }: ErasureRequest,
): Promise<boolean> {
  if ((await failUnsent(allAccountsSql, accountId)) > 0) return false;
  if (await hasUnpublished(allAccountsSql, { accountId })) return false;
  const system = await systemAccount(allAccountsSql);
  if (system === undefined) return true;
  return inAccount(system, async () => {
    if (await hasUnpublished(allAccountsSql, { accountId: system, peers: phones })) return false;
    const [leaving] = await allAccountsSql`
      select from dispatch where account_id = ${system} and peer = any(${[...phones]}::text[])
        and message_id > uuid_floor(clock_timestamp() - ${NOTICE_TIMEOUT}::interval)
      limit 1`;
    return leaving === undefined;
  });
}

async function systemAccount(allAccountsSql: Sql): Promise<string | undefined> {
  const [system] = await onCoordinator(
    () => allAccountsSql<{ account_id: string }[]>`
      select account_id from tokens where is_system limit 1`,
  );
  return system?.account_id;
}

const tables = [
  'parked_receipts',
  'idempotency_keys',
  'message_refs',
  'pinned_conversations',
  'conversations',
  'contacts',
  'optouts',
  'message_templates',
  'message_views',
  'quick_replies',
] as const;

async function erase(allAccountsSql: Sql, { accountId, phones }: ErasureRequest): Promise<void> {
  await untilNone((limit) =>
    numberOf(allAccountsSql`select erase_messages(${accountId}, ${limit}) as n`),
  );
  await untilNone((limit) => eraseWords(allAccountsSql, accountId, limit));
  for (const table of tables) await eraseRows(allAccountsSql, table, accountId);
  await eraseRows(allAccountsSql, 'lanes', accountId);
  await allAccountsSql`select erase_counts(${accountId})`;
  const peers = [...phones, ...(await pastPhonesOf(allAccountsSql, accountId))];
  const system = await systemAccount(allAccountsSql);
  if (system === undefined) return;
  await inAccount(system, () => eraseSystemConversations(allAccountsSql, system, peers));
}

/**
 * Erases up to `limit` words of an account whose messages are gone, and finally the mark.
 * Locks the mark first, to wait for an indexing in progress.
 */
const eraseWords = (allAccountsSql: Sql, accountId: string, limit: number): Promise<number> =>
  allAccountsSql.begin(async (tx) => {
    // Otherwise each batch would scan the dead rows of the batches before it.
    await tx`select set_config('enable_seqscan', 'off', true)`;
    await tx`select from word_cursors where account_id = ${accountId} for update`;
    const { count } = await tx`
      delete from message_words where ctid = any (array(
        select ctid from message_words where account_id = ${accountId} limit ${limit}
      ))`;
    if (count === 0) {
      await tx`delete from word_batches where account_id = ${accountId}`;
      await tx`delete from word_cursors where account_id = ${accountId}`;
    }
    return count;
  });

async function eraseSystemConversations(
  allAccountsSql: Sql,
  system: string,
  peers: readonly string[],
): Promise<void> {
  await allAccountsSql`select count_set_aside(${system}, ${peers}::text[])`;
  await untilNone((limit) =>
    numberOf(allAccountsSql`select erase_notices(${peers}::text[], ${limit}) as n`),
  );
  await eraseEventsAbout(allAccountsSql, { accountId: system, peers });
  await allAccountsSql`
    delete from conversations where account_id = ${system} and peer = any(${peers}::text[])`;
  for (const table of ['optouts', 'contacts']) {
    await allAccountsSql`
      delete from ${identifier(table)} where account_id = ${system} and peer = any(${peers}::text[])`;
  }
}

async function numberOf(query: PromiseLike<readonly object[]>): Promise<number> {
  const [row] = (await query) as { n: number }[];
  return row?.n ?? 0;
}
