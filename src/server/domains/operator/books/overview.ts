import { civilDate, wibMidnight } from '#contract/base/time.ts';
import type { MoneyOverview } from '#contract/operator/money/books.ts';
import { readSellerGaps } from '#server/domains/billing/billing.ts';
import { lastCheck, lastSeal, totalSaldo } from '#server/domains/ledger/ledger.ts';
import { countProposedFor, moneyWork, paidSince } from '#server/domains/payments/payments.ts';
import { tiesOf } from '#server/domains/accounts/accounts.ts';
import { pendingAdjustments } from '#server/domains/operator/adjustments/list.ts';
import { lastAuditCheck } from '#server/infra/acts/chain/checks.ts';
import type { DeskDeps } from '#server/domains/operator/deps.ts';
import { SNAPSHOT } from '#server/infra/postgres/alone.ts';
import { lastReconciliation } from './reconcile.ts';

/** The state of the money at a glance; every figure is of the same instant. */
export function overviewOf(
  { allAccountsSql, now }: Pick<DeskDeps, 'allAccountsSql' | 'now'>,
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
