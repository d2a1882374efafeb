import { beginIn } from '#server/infra/postgres/distribution/scope.ts';
import { type InputOf, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Adjustment } from '#contract/operator/books.ts';
import type {
  FlaggedPayment,
  OpenRefund,
  listFlagged,
  listRefunds,
} from '#contract/operator/payments.ts';
import { accountNames, operatorNames } from '#server/domains/accounts/accounts.ts';
import { lastCheck } from '#server/domains/ledger/ledger.ts';
import {
  accountOfManualRefund,
  finishRefundByHand,
  flaggedPage,
  openRefundsPage,
  paymentOf,
  settleFlag,
} from '#server/domains/payments/payments.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { OperatorDeps } from '#server/domains/operator/deps.ts';
import { requestGatewayRefund } from './decide.ts';
import { type ProposalRequest, propose } from './propose.ts';
import { claimReference, withReferenceLock } from './references.ts';

/**
 * Refunds the whole payment of a top-up: at once, or after a second operator approves.
 *
 * @throws Refusal `not_found`, `topup_unpaid`, `payment_refund_done`, `payment_refund_waits`,
 *   `payment_partly_returned`, `payment_saldo_short`, and the reason it cannot be booked.
 */
export async function proposePaymentRefund(
  deps: OperatorDeps,
  { topupId }: { topupId: string },
  asking: ProposalRequest,
): Promise<Adjustment> {
  const { account_id: accountId } = await paymentOf(deps.allAccountsSql, topupId);
  const given = await propose(deps, accountId, asking, async (tx) => {
    const { provider, txn, amount } = await paymentOf(tx, topupId);
    const payment = { provider, txn, topupId, amount: rupiah(-amount) };
    return { accountId, kind: 'payment_refund', ...payment };
  });
  return requestGatewayRefund(deps, given, asking.operatorId);
}

export async function openRefunds(
  { allAccountsSql }: OperatorDeps,
  input: InputOf<typeof listRefunds>,
): Promise<PageOf<OpenRefund>> {
  const { rows, total } = await openRefundsPage(allAccountsSql, input);
  const accounts = await accountNames(
    allAccountsSql,
    rows.map(({ account_id }) => account_id),
  );
  const operators = await operatorNames(
    allAccountsSql,
    rows.map(({ operator_id }) => operator_id),
  );
  return {
    rows: rows.map(({ refund_id, account_id, topup_id, operator_id, ...row }) => ({
      ...row,
      id: publicId('adjustment', refund_id),
      account_id: publicId('account', account_id),
      account_name: accounts.get(account_id) ?? '',
      topup_id: publicId('topup', topup_id),
      operator: operators.get(operator_id) ?? 'Operator',
    })),
    total,
  };
}

export async function flaggedPayments(
  { allAccountsSql }: OperatorDeps,
  input: InputOf<typeof listFlagged>,
): Promise<PageOf<FlaggedPayment>> {
  const { rows, total } = await flaggedPage(allAccountsSql, input);
  const accounts = await accountNames(
    allAccountsSql,
    rows.map(({ account_id }) => account_id),
  );
  return {
    rows: rows.map(({ account_id, topup_id, ...row }) => ({
      ...row,
      account_id: publicId('account', account_id),
      account_name: accounts.get(account_id) ?? '',
      topup_id: publicId('topup', topup_id),
    })),
    total,
  };
}

/** Settles the flag of a refund that a gateway made by itself. @throws Refusal `not_found`, `payment_flag_changed`. */
export async function settlePaymentFlag(
  { allAccountsSql, now }: OperatorDeps,
  settling: { topupId: string; flaggedAt: Date; operatorId: string; reason: string },
): Promise<{ topup_id: string }> {
  await settleFlag(allAccountsSql, { ...settling, at: now() });
  return { topup_id: publicId('topup', settling.topupId) };
}

/**
 * Records, once, that a refund was transferred by hand, with the bank's reference.
 *
 * @throws Refusal `not_found`, `refund_finished`, `refund_at_gateway`, `transfer_reference_used`, `books_red`.
 */
export async function finishRefund(
  { allAccountsSql, now }: OperatorDeps,
  { refundId, reference }: { refundId: string; reference: string },
): Promise<{ id: string }> {
  if ((await lastCheck(allAccountsSql))?.ok === false) throw new Refusal('books_red', {});
  const accountId = await accountOfManualRefund(allAccountsSql, refundId);
  const finish = async (tx: Tx) => {
    const at = now();
    const claimed = await claimReference(tx, { reference, glAccount: 'cash:bank', at });
    const done = { accountId, refundId, reference: claimed, at };
    if (!(await finishRefundByHand(tx, done))) throw new Refusal('refund_finished', {});
  };
  await withReferenceLock(allAccountsSql, reference, () =>
    beginIn(allAccountsSql, accountId, finish),
  );
  return { id: publicId('adjustment', refundId) };
}
