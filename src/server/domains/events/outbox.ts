import type { LiveKind } from '#contract/events.ts';
import type { EventType } from '#contract/webhooks.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

/** Kinds that programs alone are told of, by webhook and feed: open tabs learn the same from other events. */
const programKinds = [
  'saldo.low',
  'token.connected',
  'token.disconnected',
  'token.linked',
] as const satisfies readonly EventType[];

const forPrograms: ReadonlySet<string> = new Set(programKinds);

/** False for what open tabs are not told of. */
export const isLiveKind = (kind: string): boolean => !forPrograms.has(kind);

/** An event that names no message. */
export type Announcement = {
  accountId: string;
  kind: LiveKind | (typeof programKinds)[number];
  data: Readonly<Record<string, string | number | boolean | null>>;
};

/**
 * Writes an event to the outbox, in the transaction that makes it true; the relay publishes it after
 * COMMIT. Events of messages, and of money, are written by the functions that change those.
 */
export async function appendEvent(tx: Tx, { accountId, kind, data }: Announcement): Promise<void> {
  await tx`
    insert into outbox (account_id, outbox_id, kind, data)
    values (${accountId}, ${newId()}, ${kind}, ${json(data)})`;
}

/**
 * However the work is shared among processes: what waits for ten seconds is nobody's. An event that was
 * set aside is not late before its next try is due.
 *
 * @throws Error when the outbox is not published.
 */
export async function checkOutbox(allAccountsSql: Sql): Promise<void> {
  const [row] = await allAccountsSql`
    select from outbox where at < clock_timestamp() - interval '10 seconds'
      and coalesce(retry_at, at) < clock_timestamp() - interval '10 seconds' limit 1`;
  if (row) throw new Error('the outbox is not published');
}

type Figure = { value: number };

/** For how many seconds the longest-waiting event has been due. */
export const outboxLagSeconds = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`
    select coalesce(greatest(0, extract(epoch from
      clock_timestamp() - min(coalesce(retry_at, at)))), 0)::float8 as value from outbox`;

/** Events that could not be published and are tried again later. */
export const countSetAside = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`select count(*) as value from outbox where tries > 0`;

/** Events of an account that are not published yet name another peer: their conversation goes on under a number. */
export const renameQueuedPeer = (
  tx: Tx,
  accountId: string,
  { from, to }: { from: string; to: string },
): PromiseLike<unknown> => tx`
  update outbox set peers = array_replace(peers, ${from}, ${to})
  where account_id = ${accountId} and ${from} = any (peers)`;
