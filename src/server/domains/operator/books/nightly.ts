import { Refusal } from '#contract/base/refusals.ts';
import { lastCheck, sealDays, storeCheck } from '#server/domains/ledger/ledger.ts';
import { lastAuditCheck, storeAuditCheck } from '#server/infra/acts/chain/checks.ts';
import { sealAudit } from '#server/infra/acts/chain/seals.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Sample } from '#server/infra/observability/metrics.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Reading } from '#server/infra/postgres/replica/replica.ts';
import type { DeskDeps } from '#server/domains/operator/deps.ts';
import { lastReconciliation, reconcile } from './reconcile.ts';

type Deps = Pick<DeskDeps, 'allAccountsSql' | 'now' | 'statusOf'> & {
  log: Pick<Log, 'error'>;
  /** Where long work reads. */
  reading: Pick<Reading, 'allAccountsSql' | 'catchUp'>;
  /** The data folder, for the file of seals. */
  folder: string;
};

/**
 * Checks all invariants and stores the result, then seals the days up to yesterday: also while the check is
 * red, for what was written is what is sealed. The same for the audit log.
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
  // The file of seals may name what was sealed just now.
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

/** Reconciles, and logs which findings are red: by their codes and counts alone. */
export async function reconcileNightly(deps: Omit<Deps, 'reading'>): Promise<void> {
  const found = await unlessRunning(() => reconcile(deps));
  if (!found || found.ok) return;
  const red = found.findings.filter(({ severity }) => severity === 'red');
  deps.log.error(
    { check: red.map(({ code, count }) => `${code}: ${count}`) },
    'the books and the bank disagree',
  );
}

/** What another node does now need not be done here. */
async function unlessRunning<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.code === 'check_running') return undefined;
    throw error;
  }
}

/** 1 while the newest check of the books, of the audit log, or reconciliation, is red. */
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
