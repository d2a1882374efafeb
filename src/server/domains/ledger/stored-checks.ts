import { performance } from 'node:perf_hooks';
import type { LedgerCheck } from '#contract/operator/books.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { SNAPSHOT, checkLedgerIn } from './check.ts';

type Deps = { allAccountsSql: Sql; now: () => Date };

/** Examples stored of what breaks an invariant. */
const EXAMPLES_MAX = 5;
/** Any number, the same on every node: who holds this advisory lock checks. */
const CHECK_LOCK = 7_206_312;
/** All rows are read: longer than any other statement may take. */
const STATEMENT_MS = 600_000;
/** How soon another try is worth it. */
const AGAIN_SECONDS = 10;

/**
 * Checks all invariants in one read-only snapshot, and stores the result; one check at a time, on all
 * nodes. While the newest result is red, nothing is paid out (docs/money.md#the-money-desk).
 *
 * @throws Refusal `check_running`.
 */
export async function storeCheck({ allAccountsSql, now }: Deps): Promise<LedgerCheck> {
  const begun = performance.now();
  const found = await alone(allAccountsSql, CHECK_LOCK, checkLedgerIn);
  const findings = found.map(({ invariant, description, ok, offenders }) => ({
    invariant,
    description,
    ok,
    broken: offenders.length,
    examples: offenders.slice(0, EXAMPLES_MAX).map((row) => JSON.stringify(row)),
  }));
  const check = {
    at: now(),
    ok: findings.every(({ ok }) => ok),
    millis: Math.round(performance.now() - begun),
    findings,
  };
  await allAccountsSql`
      insert into ledger_checks (check_id, at, is_ok, findings, millis)
      values (${newId()}, ${check.at}, ${check.ok}, ${json(findings)}, ${check.millis})`;
  return check;
}

/** The newest stored check; `undefined` before the first. */
export async function lastCheck(allAccountsSql: Sql): Promise<LedgerCheck | undefined> {
  const [found] = await allAccountsSql<LedgerCheck[]>`
    select at, is_ok as ok, findings, millis from ledger_checks order by check_id desc limit 1`;
  return found;
}

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
