import { Refusal } from '#contract/base/refusals.ts';
import { isRefundReference } from '#server/domains/payments/payments.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/**
 * Takes a reference of our bank for what is booked in this transaction: one transfer is one payout,
 * whichever way it was written down.
 *
 * @returns the reference as it is stored.
 * @throws Refusal `transfer_reference_used`.
 */
export async function claimReference(tx: Tx, typed: string): Promise<string> {
  const reference = typed.replace(/\s+/g, ' ');
  // Two tables have such references, so that no index sees both.
  await tx`select pg_advisory_xact_lock(7206321, hashtext(upper(${reference})))`;
  const used = await tx`
    select from adjustments
    where gl_account = 'cash:bank' and upper(reference) = upper(${reference})
      and reference is not null and status in ('pending', 'done')`;
  if (used.length > 0 || (await isRefundReference(tx, reference))) {
    throw new Refusal('transfer_reference_used', {});
  }
  return reference;
}
