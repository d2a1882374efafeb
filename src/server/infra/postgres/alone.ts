import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from './database.ts';

export const SNAPSHOT = 'isolation level repeatable read read only';

/** Longer than for other statements, because all rows are read. */
const STATEMENT_MS = 600_000;
const RETRY_SECONDS = 10;

/** One node at a time. @throws Refusal `check_running` if another node runs it now. */
export function exclusiveSnapshot<T>(
  allAccountsSql: Sql,
  lock: number,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return allAccountsSql.begin(async (tx) => {
    const [answer] = await tx<{ got: boolean }[]>`
      select pg_try_advisory_xact_lock(${lock}) as got,
        set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`;
    if (!answer?.got) throw new Refusal('check_running', { seconds: RETRY_SECONDS });
    return work(tx);
  }, SNAPSHOT);
}
