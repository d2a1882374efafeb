import { Refusal } from '#contract/base/refusals.ts';
import {
  lastCheck,
  sealDays,
  storeCheck,
  type Discrepancy,
  oldHolds,
  openClearing,
  lastSeal,
  totalSaldo,
} from '#server/domains/ledger/ledger.ts';
import { lastAuditCheck, storeAuditCheck, sealAudit } from '#server/infra/acts/chain.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Sample } from '#server/infra/observability/metrics.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { Reading } from '#server/infra/postgres/replica.ts';
import type { OperatorDeps } from '#server/domains/operator/deps.ts';
import type {
  Reconciliation,
  ReconciliationFinding,
  MoneyOverview,
} from '#contract/operator/books.ts';
import {
  checkGatewayPayments,
  reconcilePayments,
  suspenseSum,
  countProposedFor,
  moneyWork,
  paidSince,
} from '#server/domains/payments/payments.ts';
import { newId } from '#server/infra/ids.ts';
import { exclusiveSnapshot, SNAPSHOT } from '#server/infra/postgres/alone.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { civilDate, wibMidnight } from '#contract/base/time.ts';
import { readSellerGaps } from '#server/domains/billing/billing.ts';
import { tiesOf } from '#server/domains/accounts/accounts.ts';
import { pendingAdjustments } from '#server/domains/operator/adjustments/list.ts';

type Deps = Pick<OperatorDeps, 'allAccountsSql' | 'now' | 'statusOf'> & {
  log: Pick<Log, 'error'>;
  reading: Pick<Reading, 'allAccountsSql' | 'catchUp'>;
  folder: string;
};

/**
 * Checks all invariants and stores the result, then seals the days up to yesterday, even while the check is red: the
 * seal covers the data as written. Does the same for the audit log.
 */
export async function checkAndSeal(deps: Deps): Promise<void> {
  const { allAccountsSql, now, log, folder, reading } = deps;
  const readSql = reading.allAccountsSql;
  await reading.catchUp();
  const check = await unlessRunning(() => storeCheck({ allAccountsSql, now, readSql }));
  if (check && !check.ok) {
    const red = check.findings.filter(({ ok }) => !ok).map(({ invariant }) => invariant);
    log.error({ check: red }, 'the books are broken');
  }
  await sealDays({ allAccountsSql, now, folder });
  // The file of seals may name a new seal that the replica has not received yet.
  await reading.catchUp();
  const audit = await unlessRunning(() =>
    storeAuditCheck({ allAccountsSql, now, folder, readSql }),
  );
  if (audit && !audit.ok) {
    const broken = audit.findings.map(({ kind, seq }) => `${kind}: ${seq}`);
    log.error({ check: broken, count: broken.length }, 'the audit log is broken');
  }
  await sealAudit({ allAccountsSql, now, folder });
}

/** Reconciles, and logs the codes and counts of red findings, nothing more. */
export async function reconcileNightly(deps: Omit<Deps, 'reading'>): Promise<void> {
  const found = await unlessRunning(() => reconcile(deps));
  if (!found || found.ok) return;
  const red = found.findings.filter(({ severity }) => severity === 'red');
  deps.log.error(
    { check: red.map(({ code, count }) => `${code}: ${count}`) },
    'the books and the bank disagree',
  );
}

async function unlessRunning<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.code === 'check_running') return undefined;
    throw error;
  }
}

/** 1 while the newest ledger check, audit log check or reconciliation is red. */
export async function booksRed(allAccountsSql: Sql): Promise<Sample[]> {
  const [check, reconciliation, audit] = await Promise.all([
    lastCheck(allAccountsSql),
    lastReconciliation(allAccountsSql),
    lastAuditCheck(allAccountsSql),
  ]);
  return [
    { labels: { of: 'invariants' }, value: check?.ok === false ? 1 : 0 },
    { labels: { of: 'reconciliation' }, value: reconciliation?.ok === false ? 1 : 0 },
    { labels: { of: 'audit' }, value: audit?.ok === false ? 1 : 0 },
  ];
}

const DAY_MS = 86_400_000;
const COMPARED_DAYS = 35;
/** Arbitrary, but equal on every node: the holder of this advisory lock reconciles. */
const RECONCILE_LOCK = 7_206_313;

/**
 * Compares our ledger with bank lines and gateways, checks balances that should be zero, and stores the findings
 * (docs/money.md#the-money-desk).
 *
 * @throws Refusal `check_running` when another node is reconciling.
 */
export async function reconcile(
  deps: Pick<OperatorDeps, 'allAccountsSql' | 'now' | 'statusOf'>,
): Promise<Reconciliation> {
  const { allAccountsSql, now, statusOf } = deps;
  const at = now();
  const since = new Date(at.getTime() - COMPARED_DAYS * DAY_MS);
  const before = new Date(at.getTime() - DAY_MS);
  const gatewayFindings = statusOf
    ? await checkGatewayPayments(allAccountsSql, since, statusOf)
    : [];
  const findings = await exclusiveSnapshot(allAccountsSql, RECONCILE_LOCK, async (tx) => [
    ...(await reconcilePayments(tx, { since, before })),
    ...gatewayFindings,
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
  { count, amount, examples }: Discrepancy,
) => (count > 0 ? [{ code, severity, count, amount, examples }] : []);

export async function lastReconciliation(
  allAccountsSql: Sql | Tx,
): Promise<Reconciliation | undefined> {
  const [found] = await allAccountsSql<Reconciliation[]>`
    select at, is_ok as ok, findings from reconciliations order by reconciliation_id desc limit 1`;
  return found;
}

/** All figures are of the same instant. */
export function overviewOf(
  { allAccountsSql, now }: Pick<OperatorDeps, 'allAccountsSql' | 'now'>,
  operatorId: string,
): Promise<MoneyOverview> {
  const at = now();
  return allAccountsSql.begin(async (tx) => {
    const ties = await tiesOf(tx, operatorId);
    const [saldo, topups, waiting, proposals, topupsForYou] = await Promise.all([
      totalSaldo(tx),
      paidSince(tx, wibMidnight(civilDate(at))),
      moneyWork(tx, at),
      pendingAdjustments(tx, ties, at),
      countProposedFor(tx, ties),
    ]);
    const [check, audit, seal, reconciliation, seller] = await Promise.all([
      lastCheck(tx),
      lastAuditCheck(tx),
      lastSeal(tx),
      lastReconciliation(tx),
      readSellerGaps(tx),
    ]);
    return {
      ...saldo,
      topups_today: topups,
      waiting,
      check: check ?? null,
      audit: audit ? { at: audit.at, ok: audit.ok } : null,
      seal: seal ?? null,
      reconciliation: reconciliation ?? null,
      seller,
      proposals,
      topups_for_you: topupsForYou,
    };
  }, SNAPSHOT);
}
