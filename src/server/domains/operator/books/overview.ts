import { civilDate, wibMidnight } from '#contract/base/time.ts';
import type { MoneyOverview } from '#contract/operator/money/books.ts';
import { readSellerGaps } from '#server/domains/billing/billing.ts';
import { lastCheck, lastSeal, totalSaldo } from '#server/domains/ledger/ledger.ts';
import { paidSince, suspenseSum, waitingTopups } from '#server/domains/payments/payments.ts';
import { pendingAdjustments } from '#server/domains/operator/adjustments/list.ts';
import { lastAuditCheck } from '#server/infra/acts/chain/checks.ts';
import type { DeskDeps } from '#server/domains/operator/deps.ts';
import { lastReconciliation } from './reconcile.ts';

/** How the money stands, at a glance. */
export async function overviewOf(
  { allAccountsSql: sql, now }: Pick<DeskDeps, 'allAccountsSql' | 'now'>,
  operatorId: string,
): Promise<MoneyOverview> {
  const at = now();
  const [saldo, topups, waiting, suspense] = await Promise.all([
    totalSaldo(sql),
    paidSince(sql, wibMidnight(civilDate(at))),
    waitingTopups(sql, at),
    suspenseSum(sql),
  ]);
  const [check, audit, seal, reconciliation, proposals, seller] = await Promise.all([
    lastCheck(sql),
    lastAuditCheck(sql),
    lastSeal(sql),
    lastReconciliation(sql),
    pendingAdjustments(sql, { at, operatorId }),
    readSellerGaps(sql),
  ]);
  return {
    ...saldo,
    topups_today: topups,
    waiting,
    suspense: { count: suspense.count, amount: suspense.amount },
    check: check ?? null,
    audit: audit ? { at: audit.at, ok: audit.ok } : null,
    seal: seal ?? null,
    reconciliation: reconciliation ?? null,
    seller,
    proposals,
  };
}
