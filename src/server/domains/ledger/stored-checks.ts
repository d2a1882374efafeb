import { performance } from 'node:perf_hooks';
import type { LedgerCheck } from '#contract/operator/money/books.ts';
import { newId } from '#server/infra/ids.ts';
import { alone } from '#server/infra/postgres/alone.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { checkLedgerIn } from './check.ts';

type Deps = {
  allAccountsSql: Sql;
  now: () => Date;
  /** Where the books are read, when not where the result is stored. */
  readSql?: Sql;
};

/** Examples stored of what breaks an invariant. */
const EXAMPLES_MAX = 5;
/** Any number, the same on every node: who holds this advisory lock checks. */
const CHECK_LOCK = 7_206_312;

/**
 * Checks all invariants in one read-only snapshot, and stores the result; one check at a time, on all
 * nodes. While the newest result is red, nothing is paid out (docs/money.md#the-money-desk).
 *
 * @throws Refusal `check_running`.
 */
export async function storeCheck({
  allAccountsSql,
  now,
  readSql = allAccountsSql,
}: Deps): Promise<LedgerCheck> {
  const begun = performance.now();
  const found = await alone(readSql, CHECK_LOCK, checkLedgerIn);
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
export async function lastCheck(allAccountsSql: Sql | Tx): Promise<LedgerCheck | undefined> {
  const [found] = await allAccountsSql<LedgerCheck[]>`
    select at, is_ok as ok, findings, millis from ledger_checks order by check_id desc limit 1`;
  return found;
}
