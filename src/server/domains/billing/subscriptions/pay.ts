import { Refusal } from '#contract/base/refusals.ts';
import type { BillingDeps } from '#server/domains/billing/deps.ts';
import { payDue } from './advance.ts';
import { lockFunds, refuseUnpayable } from './charge.ts';
import { advanceAccount } from './job.ts';
import { lockSubscription, subscriptionStateOf } from './row.ts';

/**
 * Charges the plan of an open invoice from the saldo, and settles the invoice. Does nothing if it was paid a moment
 * ago.
 *
 * @throws Refusal `saldo_short`, `wallet_frozen`, `account_suspended`; `invoice_closed` when the invoice does not wait
 *   for a payment.
 */
export async function payPlanInvoice(
  deps: Pick<BillingDeps, 'allAccountsSql' | 'now'>,
  { accountId, invoiceId }: { accountId: string; invoiceId: string },
): Promise<void> {
  const { allAccountsSql, now } = deps;
  const at = now();
  // This charges the due amount if the saldo covers it, and voids expired invoices.
  await advanceAccount({ allAccountsSql, now: () => at }, accountId);
  await allAccountsSql.begin(async (tx) => {
    const row = await lockSubscription(tx, accountId);
    if (row && row.due_invoice === invoiceId) {
      const { plan } = await subscriptionStateOf(tx, row);
      refuseUnpayable(await lockFunds(tx, accountId), plan.price);
      await payDue(tx, row, at);
      return;
    }
    const [charged] = await tx`
      select from subscription_charges
      where account_id = ${accountId} and invoice_id = ${invoiceId}`;
    if (!charged) throw new Refusal('invoice_closed', {});
  });
}
