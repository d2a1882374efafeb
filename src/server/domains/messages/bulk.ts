import type { MessageRow, MessageStatus } from '#contract/messages.ts';
import { publicId } from '#contract/base/ids.ts';
import { type Sql, type Tx } from '#server/infra/postgres/database.ts';
import { failureOf } from '#server/domains/messages/history/rows.ts';
import { withdrawMessages } from '#server/domains/messages/dispatch/withdraw.ts';

/** `priority` of messages that leave after all others of their token. */
const BULK = 2;

type TokenRef = { accountId: string; tokenId: string };

/** How many messages of a token that leave last are still in its queue, counted to `max`. */
export async function countQueuedBulk(
  sql: Sql | Tx,
  { accountId, tokenId }: TokenRef,
  max: number,
): Promise<number> {
  const [counted] = await sql<{ n: number }[]>`
    select count(*)::int as n from (
      select from dispatch
      where account_id = ${accountId} and token_id = ${tokenId} and priority = ${BULK} limit ${max}
    ) queued`;
  return counted?.n ?? 0;
}

/** A message, by the reference under which it was placed. */
type RefOfMessage = { id: string; ref: string };

/** The messages of a token in its queue that leave last and whose references begin with `prefix`. */
export const queuedBulk = (
  sql: Sql | Tx,
  { accountId, tokenId }: TokenRef,
  prefix: string,
): PromiseLike<RefOfMessage[]> =>
  sql<RefOfMessage[]>`
    select d.message_id as id, m.ref from dispatch d
    cross join lateral (
      select ref from messages x
      where x.account_id = d.account_id and x.message_id = d.message_id limit 1
    ) m
    where d.account_id = ${accountId} and d.token_id = ${tokenId} and d.priority = ${BULK}
      and starts_with(m.ref, ${prefix})`;

/** Takes messages back that have not left: they are cancelled, their price is released. @returns those that were */
export const takeBack = (
  sql: Sql | Tx,
  accountId: string,
  ids: readonly string[],
): Promise<readonly string[]> => withdrawMessages(sql, { accountId, ids, outcome: 'cancelled' });

/** The messages that were placed under these references, within the 30 days that references are remembered. */
export const messagesOfRefs = (
  sql: Sql | Tx,
  accountId: string,
  refs: readonly string[],
): PromiseLike<RefOfMessage[]> =>
  sql<RefOfMessage[]>`
    select message_id as id, ref from message_refs
    where account_id = ${accountId} and ref = any (${[...refs]}::text[])`;

/** What became of messages, by their id (UUID). */
export async function outcomesOf(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<MessageRow, 'id' | 'status' | 'failure'>>> {
  const found = await tx<{ id: string; status: MessageStatus; failure: string | null }[]>`
    select m.message_id as id, m.status, m.failure
    from unnest(${[...new Set(ids)]}::uuid[]) as named(message_id)
    cross join lateral (
      select * from messages x
      where x.account_id = ${accountId} and x.message_id = named.message_id limit 1
    ) m`;
  return new Map(
    found.map(({ id, status, failure }) => [
      id,
      { id: publicId('message', id), status, failure: failureOf({ failure }) },
    ]),
  );
}

/** What became of one message: its status before, null where it was just placed, and what it costs. */
type ChangeOfRef = {
  ref: string;
  before: MessageStatus | null;
  status: MessageStatus;
  cost: number;
  cost_before: number;
};

/** So many events are read at once. */
const EVENTS_MAX = 5_000;

/**
 * What events after a position say of an account's messages whose references begin with `prefix`; and up to which
 * position that is. Undefined when there is none after it.
 */
export async function changesOfRefs(
  tx: Tx,
  { accountId, after, prefix }: { accountId: string; after: number; prefix: string },
): Promise<{ position: number; changes: ChangeOfRef[] } | undefined> {
  const [end] = await tx<{ position: number | null }[]>`
    select max(position) as position from (
      select position from message_changes
      where account_id = ${accountId} and position > ${after}
      order by position limit ${EVENTS_MAX}
    ) next`;
  const position = end?.position;
  if (position === null || position === undefined) return undefined;
  const changes = await tx<ChangeOfRef[]>`
    select m.ref, e.status_before as before, e.status, coalesce(e.cost, 0) as cost,
      coalesce(e.cost_before, 0) as cost_before
    from message_changes e
    cross join lateral (
      select ref from messages x
      where x.account_id = e.account_id and x.message_id = e.message_id limit 1
    ) m
    where e.account_id = ${accountId} and e.position > ${after} and e.position <= ${position}
      and e.type is not null and e.status is not null and starts_with(m.ref, ${prefix})`;
  return { position, changes };
}
