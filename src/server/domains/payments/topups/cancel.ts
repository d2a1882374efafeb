import type { TopupDeps } from '#server/domains/payments/deps.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Topup, cancelTopup } from '#contract/saldo.ts';
import { handle } from '#server/infra/acts.ts';
import { cancelAtGateway, findOrder } from '#server/domains/payments/gateways/orders.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { findTopup } from './topup.ts';

export const cancelTopupHandler = (deps: TopupDeps) =>
  handle(cancelTopup, async ({ caller }, { topup_id }) => {
    const cancelled = await cancelOne(deps, caller.accountId, topup_id);
    // Not awaited: money that still arrives at the gateway counts.
    if (cancelled.method !== 'bank') stopAtGateway(deps, topup_id).catch(deps.report);
    return cancelled;
  });

async function stopAtGateway(deps: TopupDeps, topupId: string): Promise<void> {
  const order = await findOrder(deps.allAccountsSql, topupId);
  if (order) await cancelAtGateway(deps, order);
}

/**
 * Cancels a waiting top-up. Its amount stays reserved for a transfer on its way.
 *
 * @throws Refusal `not_found`, `topup_already_paid`, `topup_closed`.
 */
function cancelOne({ sql, now }: TopupDeps, accountId: string, topupId: string): Promise<Topup> {
  const at = now();
  return asAccount(sql, accountId, async (tx) => {
    const [cancelled] = await tx`
      update topups set status = 'cancelled'
      where account_id = ${accountId} and topup_id = ${topupId}
        and status in ('creating', 'pending') and expires_at > ${at}
      returning topup_id`;
    const topup = await findTopup(tx, { accountId, topupId, now: at });
    if (cancelled) return topup;
    throw new Refusal(topup.status === 'paid' ? 'topup_already_paid' : 'topup_closed', {});
  });
}
