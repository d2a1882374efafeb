import type { Rupiah } from '#contract/base/money.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/** What a notice of money turned out to be; `apply_paid` says what each one did. */
export type PaidOutcome =
  | 'applied'
  | 'duplicate'
  | 'txn_used'
  | 'second_payment'
  | 'amount_mismatch'
  | 'already_paid'
  | 'closed'
  | 'unknown';

export type Payment = {
  accountId: string;
  topupId: string;
  /** The provider's own id of the payment: it pays one top-up only. */
  txnId: string;
  /** The amount received. */
  amount: Rupiah;
  at: Date;
  actor: string;
  /** True when an operator confirms it: an amount up to Rp 999 off is then accepted. */
  byHand?: boolean;
  /** A sentence for the customer. */
  note?: string;
};

/**
 * Applies a payment to its top-up: entry, general ledger, status and event, all or nothing.
 *
 * Safe to repeat and in any order with expiry, cancelling and other payments. Only in a transaction of
 * the all-accounts role; the database refuses it to a tenant's.
 */
export async function applyPaid(tx: Tx, payment: Payment): Promise<PaidOutcome> {
  const { accountId, topupId, txnId, amount, at, actor, byHand = false, note = null } = payment;
  const [answer] = await tx<{ outcome: PaidOutcome }[]>`
    select apply_paid(
      ${accountId}, ${topupId}, ${txnId}, ${amount}, ${at}, ${actor}, ${byHand}, ${note}
    ) as outcome`;
  if (!answer) throw new Error('apply_paid returned no row');
  return answer.outcome;
}

/** The note for the customer about a payment after the top-up was closed. */
export const lateNote = (status: string): string | undefined => {
  if (status === 'expired') return 'Dibayar setelah kedaluwarsa.';
  if (status === 'cancelled') return 'Dibayar setelah dibatalkan.';
  return undefined;
};
