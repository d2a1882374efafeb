import type { LiveKind } from '#contract/events.ts';
import type { EventType } from '#contract/webhooks.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

/** Kinds for webhooks and the feed only; open tabs learn the same from other events. */
const programKinds = [
  'saldo.low',
  'token.connected',
  'token.disconnected',
  'token.linked',
] as const satisfies readonly EventType[];

const forPrograms: ReadonlySet<string> = new Set(programKinds);

/** False for kinds that open tabs do not receive. */
export const isLiveKind = (kind: string): boolean => !forPrograms.has(kind);

export type Announcement = {
  accountId: string;
  kind: LiveKind | (typeof programKinds)[number];
  data: Readonly<Record<string, string | number | boolean | null>>;
};

/**
 * Adds an event to the outbox, in the transaction that causes it; the relay publishes it after COMMIT. The functions
 * that change messages and money write their own events.
 */
export async function appendEvent(tx: Tx, { accountId, kind, data }: Announcement): Promise<void> {
  await tx`
    insert into outbox (account_id, outbox_id, kind, data)
    values (${accountId}, ${newId()}, ${kind}, ${json(data)})`;
}

/**
 * An event due for ten seconds means that no process publishes. A set-aside event is late only after its next try is
 * due.
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

/** The age in seconds of the oldest due event. */
export const outboxLagSeconds = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`
    select coalesce(greatest(0, extract(epoch from
      clock_timestamp() - min(coalesce(retry_at, at)))), 0)::float8 as value from outbox`;

/** Counts events that could not be published and wait for a retry. */
export const countSetAside = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`select count(*) as value from outbox where tries > 0`;

/** Gives a conversation's unpublished events its new peer, once the number is known. */
export const renameQueuedPeer = (
  tx: Tx,
  accountId: string,
  { from, to }: { from: string; to: string },
): PromiseLike<unknown> => tx`
  update outbox set peers = array_replace(peers, ${from}, ${to})
  where account_id = ${accountId} and ${from} = any (peers)`;
