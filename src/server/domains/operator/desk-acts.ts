import { rupiah } from '#contract/base/money.ts';
import * as customers from '#contract/operator/customers.ts';
import * as desk from '#contract/operator/money/desk.ts';
import * as refunds from '#contract/operator/money/refunds.ts';
import * as suspense from '#contract/operator/money/suspense.ts';
import { type ActHandler, type Call, handle } from '#server/infra/acts/act.ts';
import { decideProposal } from './adjustments/decide.ts';
import {
  finishRefund,
  flaggedPayments,
  openRefunds,
  proposePaymentRefund,
  settlePaymentFlag,
} from './adjustments/give-back.ts';
import { adjustmentsPage } from './adjustments/list.ts';
import {
  proposeAdjustment,
  proposePayout,
  proposeRefund,
  proposeResolution,
} from './adjustments/propose.ts';
import { customerDetail } from './customers/detail.ts';
import { customersPage } from './customers/list.ts';
import { approveBonus, freezeCustomer } from './customers/standing.ts';
import type { DeskDeps } from './deps.ts';
import { keepItem, suspenseItems } from './suspense.ts';

const asking = ({ caller, key }: Call<'operator'>, reason: string) => ({
  operatorId: caller.userId,
  key,
  reason,
});

const refundActs = (deps: DeskDeps): readonly ActHandler[] => [
  handle(refunds.refundPayment, (call, { topup_id, reason }) =>
    proposePaymentRefund(deps, { topupId: topup_id }, asking(call, reason)),
  ),
  handle(refunds.listRefunds, (_, input) => openRefunds(deps, input)),
  handle(refunds.finishRefund, (_, { refund_id, reference }) =>
    finishRefund(deps, { refundId: refund_id, reference }),
  ),
  handle(refunds.listFlagged, (_, input) => flaggedPayments(deps, input)),
  handle(refunds.settleFlag, ({ caller }, { topup_id, flagged_at, reason }) =>
    settlePaymentFlag(deps, {
      topupId: topup_id,
      flaggedAt: new Date(flagged_at),
      operatorId: caller.userId,
      reason,
    }),
  ),
  handle(refunds.approveBonus, ({ caller }, { account_id, reason }) =>
    approveBonus(deps, { accountId: account_id, reason, operatorId: caller.userId }),
  ),
];

/** Customers, entries by hand, proposals, and suspense. */
export const deskActs = (deps: DeskDeps): readonly ActHandler[] => [
  ...refundActs(deps),
  handle(customers.findCustomers, (_, input) => customersPage(deps, input)),
  handle(customers.getCustomer, (_, { account_id }) => customerDetail(deps, account_id)),
  handle(desk.adjustSaldo, (call, { account_id, direction, amount, cause, reason }) =>
    proposeAdjustment(
      deps,
      {
        accountId: account_id,
        amount: rupiah(direction === 'add' ? amount : -amount),
        cause,
      },
      asking(call, reason),
    ),
  ),
  handle(desk.refundMessage, (call, { account_id, message_id, amount, reason }) =>
    proposeRefund(
      deps,
      {
        accountId: account_id,
        messageId: message_id,
        amount: amount === undefined ? undefined : rupiah(amount),
      },
      asking(call, reason),
    ),
  ),
  handle(desk.payOut, (call, { account_id, amount, reference, payee, reason }) =>
    proposePayout(
      deps,
      { accountId: account_id, amount: rupiah(amount), reference, payee },
      asking(call, reason),
    ),
  ),
  handle(desk.listAdjustments, ({ caller }, input) =>
    adjustmentsPage(deps.allAccountsSql, input, { at: deps.now(), operatorId: caller.userId }),
  ),
  handle(desk.decideAdjustment, ({ caller }, { adjustment_id, decision, reason }) =>
    decideProposal(deps, {
      id: adjustment_id,
      operatorId: caller.userId,
      decision,
      note: reason,
    }),
  ),
  handle(customers.freezeWallet, ({ caller }, { account_id, becomes, reason }) =>
    freezeCustomer(deps, {
      accountId: account_id,
      isFrozen: becomes === 'frozen',
      reason,
      operatorId: caller.userId,
    }),
  ),
  handle(suspense.listSuspense, (_, input) => suspenseItems(deps, input)),
  handle(suspense.creditSuspense, (call, { provider, txn, reason }) =>
    proposeResolution(deps, { provider, txn }, asking(call, reason)),
  ),
  handle(suspense.returnSuspense, (call, { provider, txn, reference, payee, reason }) =>
    proposeResolution(
      deps,
      { provider, txn, returned: { reference, payee } },
      asking(call, reason),
    ),
  ),
  handle(suspense.keepSuspense, ({ caller }, { provider, txn, reason }) =>
    keepItem(deps, { provider, txn, note: reason, operatorId: caller.userId }),
  ),
];
