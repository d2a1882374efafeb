import type { Log } from '#server/infra/observability/log.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/** Positions of an account that were published by one call: after `from`, up to and with `upTo`. */
export type PublishedRange = { accountId: string; from: number; upTo: number };

type Deps = { sql: Sql; log: Log; tracing: Tracing };

/**
 * Records what was published of which messages: read once more, as publishing itself does not say it. Trouble is
 * logged, and no more.
 *
 * @param began when publishing began, by `performance.now()`.
 */
export async function tracePublished(
  { sql, log, tracing }: Deps,
  began: number,
  ranges: readonly PublishedRange[],
): Promise<void> {
  const ended = performance.now();
  try {
    const events = await sql<{ messageId: string; kind: string; status: string | null }[]>`
      select e.message_id as "messageId", e.kind, e.status
      from unnest(
        ${ranges.map(({ accountId }) => accountId)}::uuid[],
        ${ranges.map(({ from }) => from)}::bigint[],
        ${ranges.map(({ upTo }) => upTo)}::bigint[]
      ) as r(account_id, first, last)
      cross join lateral (
        select message_id, kind, status from events
        where account_id = r.account_id and position > r.first and position <= r.last
          and message_id is not null
        order by position
      ) e`;
    tracing.did({ operation: 'publish', began, ended, steps: events.map(stepOf) });
  } catch (error) {
    log.warn({ err: error }, 'what was published cannot be traced');
  }
}

type Told = { messageId: string; kind: string; status: string | null };

/** An event of a message as its trace has it: by the status that it tells, or by its kind. */
export const stepOf = ({ messageId, kind, status }: Told) => ({ messageId, of: status ?? kind });
