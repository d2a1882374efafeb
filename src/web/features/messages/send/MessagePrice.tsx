import { formatNumber } from '#contract/base/money.ts';
import type { SaldoSummary } from '#contract/saldo/summary.ts';
import { Money } from '#web/ui/money/Money.tsx';

/** What the next message costs: an amount, or how much of the plan's quota is left for it. */
export const MessagePrice = ({ saldo }: { saldo: SaldoSummary }) =>
  saldo.quota_left > 0 ? (
    `Termasuk kuota paket (sisa ${formatNumber(saldo.quota_left)})`
  ) : (
    <Money amount={saldo.message_price} />
  );
