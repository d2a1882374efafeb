import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from './database.ts';

/** One snapshot, in which nothing is written. */
export const SNAPSHOT = 'isolation level repeatable read read only';

/** All rows are read: longer than any other statement may take. */
const STATEMENT_MS = 600_000;
/** How soon another try is worth it. */
const AGAIN_SECONDS = 10;

/**
 * Reads in one snapshot what only one node may read at a time.
 *
 * @throws Refusal `check_running` when another does it now.
 */
export function alone<T>(
  allAccountsSql: Sql,
  lock: number,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return allAccountsSql.begin(async (tx) => {
    const [answer] = await tx<{ got: boolean }[]>`
      select pg_try_advisory_xact_lock(${lock}) as got,
        set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`;
    if (!answer?.got) throw new Refusal('check_running', { seconds: AGAIN_SECONDS });
    return work(tx);
  }, SNAPSHOT);
}
