import type { LiveKind } from '#contract/events.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/** What a writer of the outbox wrote: an event, or one for each of the messages it names. */
export type OutboxRow = {
  kind: LiveKind;
  messageIds: readonly string[] | null;
  tokenIds: readonly string[] | null;
  peers: readonly string[] | null;
  statuses: readonly string[] | null;
  data: Readonly<Record<string, unknown>> | null;
};

/** An event as open tabs receive it; one of a message has its number in the conversation, too. */
export type NewEvent = {
  kind: LiveKind;
  data: object;
  message?: { messageId: string; tokenId: string; peer: string; name: string | null };
};

/**
 * Reads, in the transaction that publishes, what the rows of one account only name.
 *
 * @returns the events of a row; undefined where it is published as it stands.
 */
export type RowEnricher = (
  tx: Tx,
  accountId: string,
  rows: readonly OutboxRow[],
) => Promise<(row: OutboxRow) => readonly NewEvent[] | undefined>;

/** An event told once after all rows of an account that were published together, or none. */
export type TotalEnricher = (
  tx: Tx,
  accountId: string,
  rows: readonly OutboxRow[],
) => Promise<NewEvent | undefined>;

/** What other domains add to events; the composition root hands it to the relay. */
export type Enrichers = {
  rows: Readonly<Partial<Record<LiveKind, RowEnricher>>>;
  totals: readonly TotalEnricher[];
};

/** The events of an account's rows, in their order. */
export async function eventsOf(
  tx: Tx,
  { rows: byKind, totals }: Enrichers,
  { accountId, rows }: { accountId: string; rows: readonly OutboxRow[] },
): Promise<NewEvent[]> {
  const groups = [...Map.groupBy(rows, ({ kind }) => byKind[kind])];
  const [enriched, totalEvents] = await Promise.all([
    Promise.all(
      groups.map(async ([enricher, some]) => [enricher, await enricher?.(tx, accountId, some)]),
    ) as Promise<[RowEnricher | undefined, Awaited<ReturnType<RowEnricher>> | undefined][]>,
    Promise.all(totals.map((total) => total(tx, accountId, rows))),
  ]);
  const readers = new Map(enriched);
  const events = rows.flatMap(
    (row) => readers.get(byKind[row.kind])?.(row) ?? [{ kind: row.kind, data: row.data ?? {} }],
  );
  return [...events, ...totalEvents.filter((event) => event !== undefined)];
}
