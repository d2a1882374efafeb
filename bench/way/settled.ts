import { setTimeout as pause } from 'node:timers/promises';
import type { Customer } from '#bench/lib/customers.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/** The poll interval; each poll costs the database less than a millisecond. */
const POLL_MS = 500;
/** Final statuses; a message that is only delivered will be read. */
const SETTLED = ['read', 'failed', 'expired', 'cancelled'];

export type Since = { customers: readonly Customer[]; since: Date };

const accountsOf = ({ customers }: Since) => customers.map(({ accountId }) => accountId);

/** Waits until every message accepted since then is read, or failed as the simulator decides. */
export const untilSettled = (sql: Sql, of: Since, patienceMs: number): Promise<void> =>
  untilAll(sql, of, { statuses: SETTLED, patienceMs });

/**
 * Waits until every message accepted since then has one of these statuses.
 *
 * @throws Error when one has not after `patienceMs`.
 */
export async function untilAll(
  sql: Sql,
  of: Since,
  { statuses, patienceMs }: { statuses: readonly string[]; patienceMs: number },
): Promise<void> {
  const end = performance.now() + patienceMs;
  while (await someOther(sql, of, statuses)) {
    if (performance.now() > end) throw new Error(`not all ${statuses[0]} after ${patienceMs} ms`);
    await pause(POLL_MS);
  }
}

async function someOther(sql: Sql, of: Since, statuses: readonly string[]): Promise<boolean> {
  const open = await sql`
    select from messages
    where account_id = any(${accountsOf(of)}::uuid[]) and message_id >= uuid_floor(${of.since})
      and direction = 'out' and status <> all(${[...statuses]}::text[])
    limit 1`;
  return open.length > 0;
}

export async function countWith(sql: Sql, of: Since, status: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from messages
    where account_id = any(${accountsOf(of)}::uuid[]) and message_id >= uuid_floor(${of.since})
      and direction = 'out' and status = ${status}`;
  return row?.count ?? 0;
}
