import { saldoSummary } from '#contract/saldo/summary.ts';
import { alertOf } from '#server/domains/payments/alerts.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

export type SummaryDeps = { sql: Sql; prices: Pick<Prices, 'message'>; now: () => Date };

/** The saldo summary. */
export const saldoSummaryHandler = ({ sql, prices, now }: SummaryDeps) =>
  handle(saldoSummary, ({ caller: { accountId } }) =>
    asAccount(sql, accountId, async (tx) => {
      const [wallet, { threshold }, [open]] = await Promise.all([
        walletOf(tx, accountId),
        alertOf(tx, accountId),
        tx<{ waiting: number }[]>`
          select count(*) as waiting from topups
          where account_id = ${accountId} and status in ('creating', 'pending') and expires_at > ${now()}`,
      ]);
      return {
        available: wallet.available,
        held: wallet.held,
        status: wallet.status,
        topups_open: open?.waiting ?? 0,
        message_price: wallet.planPrice ?? prices.message(),
        price_beyond_quota: wallet.beyondQuotaPrice ?? prices.message(),
        quota_left: Math.max(0, wallet.planQuota - wallet.planUsed),
        alert_threshold: threshold,
        bonus_only: wallet.isBonusOnly,
      };
    }),
  );
