import type { Rupiah } from '#contract/base/money.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/** `apply_payments` (payments.sql) documents each outcome. */
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
  /** The provider's payment id, which pays one top-up only. */
  txnId: string;
  amount: Rupiah;
  at: Date;
  actor: string;
  /** A sentence for the customer. */
  note?: string;
};

/**
 * Applies payments to their top-ups: entries, general ledger, statuses, invoices and events, all or nothing. Safe to
 * repeat, and in any order with expiry, cancelling and other payments. Needs a transaction of the all-accounts role;
 * the database refuses a tenant's.
 *
 * @param byHand true when an operator confirms them: an amount up to Rp 999 off is then accepted.
 * @returns the outcomes, in order.
 */
export async function applyPayments(
  tx: Tx,
  payments: readonly Payment[],
  { byHand = false }: { byHand?: boolean } = {},
): Promise<PaidOutcome[]> {
  if (payments.length === 0) return [];
  const [answer] = await tx<{ outcomes: PaidOutcome[] }[]>`
    select apply_payments(
      ${payments.map(({ accountId }) => accountId)}::uuid[],
      ${payments.map(({ topupId }) => topupId)}::uuid[], ${payments.map(({ txnId }) => txnId)}::text[],
      ${payments.map(({ amount }) => amount)}::bigint[],
      ${payments.map(({ at }) => at)}::timestamptz[], ${payments.map(({ actor }) => actor)}::text[],
      ${payments.map(({ note }) => note ?? null)}::text[], ${byHand}
    ) as outcomes`;
  if (answer?.outcomes.length !== payments.length)
    throw new Error('apply_payments must return one outcome per payment');
  return answer.outcomes;
}

export async function applyPaid(
  tx: Tx,
  payment: Payment,
  options?: { byHand?: boolean },
): Promise<PaidOutcome> {
  const [outcome] = await applyPayments(tx, [payment], options);
  if (outcome === undefined) throw new Error('apply_payments returned no outcome');
  return outcome;
}

export const lateNote = (status: string): string | undefined => {
  if (status === 'expired') return 'Dibayar setelah kedaluwarsa.';
  if (status === 'cancelled') return 'Dibayar setelah dibatalkan.';
  return undefined;
};
