import type { Reconciliation, ReconciliationFinding } from '#contract/operator/money/books.ts';
import { type Off, oldHolds, openClearing } from '#server/domains/ledger/ledger.ts';
import { askGateways, reconcilePayments, suspenseSum } from '#server/domains/payments/payments.ts';
import { newId } from '#server/infra/ids.ts';
import { alone } from '#server/infra/postgres/alone.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { DeskDeps } from '#server/domains/operator/deps.ts';

type Deps = Pick<DeskDeps, 'allAccountsSql' | 'now' | 'statusOf'>;

const DAY_MS = 86_400_000;
/** How far back payments are compared. */
const COMPARED_DAYS = 35;
/** Any number, the same on every node: who holds this advisory lock reconciles. */
const RECONCILE_LOCK = 7_206_313;

/**
 * Compares our books with the bank's lines and the gateways, looks for what should be nothing, and stores
 * what it found (docs/money.md#the-money-desk).
 *
 * @throws Refusal `check_running` when another node does it now.
 */
export async function reconcile(deps: Deps): Promise<Reconciliation> {
  const { allAccountsSql, now, statusOf } = deps;
  const at = now();
  const since = new Date(at.getTime() - COMPARED_DAYS * DAY_MS);
  const before = new Date(at.getTime() - DAY_MS);
  const asked = statusOf ? await askGateways(allAccountsSql, since, statusOf) : [];
  const findings = await alone(allAccountsSql, RECONCILE_LOCK, async (tx) => [
    ...(await reconcilePayments(tx, { since, before })),
    ...asked,
    ...offOf('clearing_open', 'red', await openClearing(tx)),
    ...offOf('suspense_open', 'attention', await suspenseSum(tx)),
    ...offOf('holds_old', 'attention', await oldHolds(tx, before)),
  ]);
  const found: Reconciliation = {
    at,
    ok: findings.every(({ severity }) => severity !== 'red'),
    findings: findings.map((finding) => ({ ...finding, examples: [...finding.examples] })),
  };
  await allAccountsSql`
    insert into reconciliations (reconciliation_id, at, is_ok, findings)
    values (${newId()}, ${at}, ${found.ok}, ${json(found.findings)})`;
  return found;
}

const offOf = (
  code: ReconciliationFinding['code'],
  severity: ReconciliationFinding['severity'],
  { count, amount, examples }: Off,
) => (count > 0 ? [{ code, severity, count, amount, examples }] : []);

/** The newest stored reconciliation; `undefined` before the first. */
export async function lastReconciliation(
  allAccountsSql: Sql | Tx,
): Promise<Reconciliation | undefined> {
  const [found] = await allAccountsSql<Reconciliation[]>`
    select at, is_ok as ok, findings from reconciliations order by reconciliation_id desc limit 1`;
  return found;
}
