import { sendRefund } from '#server/domains/payments/payments.ts';
import type { OrderDeps } from '#server/domains/payments/payments.ts';
import { newId } from '#server/infra/ids.ts';

type Payment = { accountId: string; topupId: string; txnId: string };

/** Refunds a payment as the money desk does, but without a proposal. @returns the outcome. */
export async function refundPayment(
  deps: OrderDeps,
  { accountId, topupId, txnId }: Payment,
): Promise<string> {
  const refundId = newId();
  const [found] = await deps.allAccountsSql<{ provider: string }[]>`
    select provider from topups where topup_id = ${topupId}`;
  const provider = found?.provider ?? 'bank';
  const [begun] = await deps.allAccountsSql<{ came: string }[]>`
    select begin_refund(
      ${accountId}, ${refundId}, ${topupId}, ${provider}, ${txnId},
      ${provider === 'bank' ? 'manual' : 'gateway'}, 'Dikembalikan', ${newId()}, ${deps.now()}
    ) as came`;
  return begun?.came === 'begun' ? sendRefund(deps, refundId) : (begun?.came ?? '');
}
