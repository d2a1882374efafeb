import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { TopupStatus } from '#contract/saldo.ts';
import { DeskCustomerDetail } from '#contract/operator/customers.ts';
import { Adjustment, BankReference } from './desk.ts';
import { Reason } from '#contract/operator/reason.ts';

/**
 * Gives the payment of a paid top-up back, all of it: it leaves the saldo and its invoice is credited. Then
 * its gateway is told, or somebody transfers it by hand; `refund` of the answer says which. Above the limit it
 * is a proposal.
 */
export const refundPayment = act({
  name: 'operator_payment_refund',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ topup_id: IdInput('topup'), reason: Reason() }),
  output: Adjustment,
  refuses: [
    'topup_unpaid',
    'payment_refund_done',
    'payment_refund_waits',
    'payment_partly_returned',
    'payment_saldo_short',
    'account_ended',
    'wallet_frozen_payout',
    'books_red',
  ],
});

/** Money of a payment that has left the saldo and has not reached its payer. */
export const OpenRefund = schema(() =>
  z.object({
    /** The adjustment that gave it back. */
    id: Id('adjustment'),
    account_id: Id('account'),
    account_name: z.string(),
    topup_id: Id('topup'),
    amount: Rupiah(),
    /** `gateway`: it is asked again each minute; `manual`: somebody has to transfer it. */
    way: z.enum(['gateway', 'manual']),
    operator: z.string(),
    since: z.coerce.date(),
  }),
);
export type OpenRefund = Output<typeof OpenRefund>;

export const listRefunds = act({
  name: 'operator_refund_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({ ...paging(['created_at']) }),
  output: OpenRefund,
});

/** A refund by hand was transferred, and is booked with this; once. */
export const finishRefund = act({
  name: 'operator_refund_finish',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ refund_id: IdInput('adjustment'), reference: BankReference() }),
  output: schema(() => z.object({ id: Id('adjustment') })),
  refuses: ['refund_finished', 'refund_at_gateway', 'transfer_reference_used', 'books_red'],
});

/** `refunded`: all of it went back, or is disputed; `partly_refunded`: a part of it. */
export const PaymentFlagKind = schema(() => z.enum(['refunded', 'partly_refunded']));
export type PaymentFlagKind = Output<typeof PaymentFlagKind>;

/** An order whose gateway gave the money back by itself, or says that it is disputed. */
export const FlaggedPayment = schema(() =>
  z.object({
    topup_id: Id('topup'),
    account_id: Id('account'),
    account_name: z.string(),
    provider: z.string(),
    status: TopupStatus(),
    total: Rupiah(),
    credited: Rupiah(),
    kind: PaymentFlagKind(),
    /** Of a part: how much, where the gateway says so. */
    returned: z.nullable(Rupiah()),
    at: z.coerce.date(),
  }),
);
export type FlaggedPayment = Output<typeof FlaggedPayment>;

/** Those that nobody has settled: given back here as well, rejected, or said to be done. */
export const listFlagged = act({
  name: 'operator_payment_flag_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({ ...paging(['created_at']) }),
  output: FlaggedPayment,
});

/** All is done about what a gateway gave back by itself; no money moves. What it gives back later is listed anew. */
export const settleFlag = act({
  name: 'operator_payment_flag_settle',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    topup_id: IdInput('topup'),
    /** `at` of what was looked at: what came since is not settled with it. */
    flagged_at: z.iso.datetime().check(z.refine((at) => at >= '2000')),
    reason: Reason(),
  }),
  output: schema(() => z.object({ topup_id: Id('topup') })),
  refuses: ['payment_flag_changed'],
});

/** The welcome bonus may be spent on any number from now on. */
export const approveBonus = act({
  name: 'operator_bonus_approve',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ account_id: IdInput('account'), reason: Reason() }),
  output: DeskCustomerDetail,
  refuses: ['account_ended', 'operator_limit_reached'],
});
