import { performance } from 'node:perf_hooks';
import type { AuditCheck } from '#contract/operator/audit.ts';
import { newId } from '#server/infra/ids.ts';
import { alone } from '#server/infra/postgres/alone.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { verifyAuditSeals } from './seals.ts';
import { type ChainVerification, verifyChains } from './verify.ts';

/** Any number, the same on every node: who holds this advisory lock verifies. */
const CHECK_LOCK = 7_206_314;

/**
 * Verifies all chains of the audit log and their seals, in one snapshot; one verification at a time, on all
 * nodes.
 *
 * @param folder where the file of seals lies; without it the seals are compared with each other alone.
 * @throws Refusal `check_running`.
 */
export const verifyAudit = (
  allAccountsSql: Sql,
  folder: string | undefined,
): Promise<ChainVerification> =>
  alone(allAccountsSql, CHECK_LOCK, async (tx) => {
    const walked = await verifyChains(tx);
    return { ...walked, findings: [...walked.findings, ...(await verifyAuditSeals(tx, folder))] };
  });

type Deps = {
  allAccountsSql: Sql;
  now: () => Date;
  folder: string;
  /** Where the log is read, when not where the result is stored. */
  readSql?: Sql;
};

/**
 * Verifies the audit log and stores the result.
 *
 * @throws Refusal `check_running`.
 */
export async function storeAuditCheck({
  allAccountsSql,
  now,
  folder,
  readSql = allAccountsSql,
}: Deps): Promise<AuditCheck> {
  const begun = performance.now();
  const { lines, chains, findings } = await verifyAudit(readSql, folder);
  const check: AuditCheck = {
    at: now(),
    ok: findings.length === 0,
    lines,
    chains,
    findings,
    millis: Math.round(performance.now() - begun),
  };
  await allAccountsSql`
    insert into audit_checks (check_id, at, is_ok, lines, chains, findings, millis)
    values (${newId()}, ${check.at}, ${check.ok}, ${lines}, ${chains}, ${json(findings)},
      ${check.millis})`;
  return check;
}

/** The newest stored verification; `undefined` before the first. */
export async function lastAuditCheck(allAccountsSql: Sql | Tx): Promise<AuditCheck | undefined> {
  const [found] = await allAccountsSql<AuditCheck[]>`
    select at, is_ok as ok, lines, chains, findings, millis from audit_checks
    order by check_id desc limit 1`;
  return found;
}
