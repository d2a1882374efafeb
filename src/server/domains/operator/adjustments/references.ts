import { Refusal } from '#contract/base/refusals.ts';
import { bankReference } from '#contract/base/text.ts';
import { normalizedReference, isRefundReference } from '#server/domains/payments/payments.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { underLockOfAll } from '#server/infra/postgres/distribution/scope.ts';

type Transfer = {
  reference: string;
  /** The general ledger account that the money leaves. */
  glAccount: string;
  at: Date;
};

/** Two tables store such references, so a unique index cannot cover both. */
const lockReference = (tx: Tx, reference: string) =>
  tx`select pg_advisory_xact_lock(7206321, hashtext(${reference}))`;

/** Runs a transaction that claims a reference; of two concurrent claims, the second sees the first. */
export const withReferenceLock = <T>(
  sql: Sql,
  typed: string,
  transaction: () => Promise<T>,
): Promise<T> => underLockOfAll(sql, (tx) => lockReference(tx, bankReference(typed)), transaction);

/**
 * Claims the reference of a transfer for a booking or proposal in this transaction: one transfer is one payout, in any
 * spelling. An expired or closed proposal releases its reference.
 *
 * @returns the reference as stored.
 * @throws Refusal `transfer_reference_used`.
 */
export async function claimReference(
  tx: Tx,
  { reference: typed, glAccount, at }: Transfer,
): Promise<string> {
  const reference = bankReference(typed);
  await lockReference(tx, reference);
  const used = await tx`
    select from adjustments
    where gl_account = ${glAccount} and ${normalizedReference(tx)} = ${reference}
      and (status = 'done' or (status = 'pending' and expires_at > ${at}))`;
  const isRefund = glAccount === 'cash:bank' && (await isRefundReference(tx, reference));
  if (used.length > 0 || isRefund) throw new Refusal('transfer_reference_used', {});
  return reference;
}
