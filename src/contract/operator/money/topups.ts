import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { LineOrReference, PaymentRefund } from '#contract/operator/money/desk.ts';
import { Reason } from '#contract/operator/reason.ts';
import { PaymentFlagKind } from '#contract/operator/money/refunds.ts';
import { Topup, TopupStatus } from '#contract/saldo.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** A top-up as the operator sees it: whose it is, and the bank lines that could be its payment. */
export const OperatorTopup = schema(() =>
  z.extend(Topup(), {
    account_name: z.string(),
    /** Unused bank lines of this amount or near it, nearest first; `line` is a `reference`. */
    candidates: z.array(
      z.object({
        line: z.string(),
        amount: z.int(),
        description: z.string(),
        at: z.coerce.date(),
        /** Who asks imported it: it does not stand for a second operator. */
        mine: z.boolean(),
      }),
    ),
    /** The slip its owner sent, to look at beside the amount. It is never proof of money. */
    slip: z.nullable(
      z.object({
        url: z.string(),
        name: z.string(),
        mime: z.string(),
        at: z.coerce.date(),
        /** Another top-up that the very same file was sent for before. */
        used_before: z.nullable(
          z.object({ topup_id: Id('topup'), account_name: z.string(), at: z.coerce.date() }),
        ),
      }),
    ),
    /** Where it is paid; null for a bank transfer. */
    gateway: z.nullable(
      z.object({
        provider: z.string(),
        /** The gateway's own id: of the payment, or of the order while nothing has paid it. */
        reference: z.nullable(z.string()),
        /** What it gave back by itself, and who has settled that here. */
        flag: z.nullable(
          z.object({
            kind: PaymentFlagKind(),
            returned: z.nullable(Rupiah()),
            settled: z.nullable(
              z.object({ by: z.string(), reason: z.string(), at: z.coerce.date() }),
            ),
          }),
        ),
      }),
    ),
    /** How far its payment has come back to its payer; null while nobody has given it back. */
    refund: z.nullable(PaymentRefund()),
    /** True when a second operator must agree, unless a bank line of exactly the total is chosen. */
    needs_two: z.boolean(),
    /** What one operator has proposed, and another has to complete; `mine`: who asks cannot. */
    proposal: z.nullable(
      z.object({
        by: z.string(),
        mine: z.boolean(),
        reference: z.string(),
        reason: z.string(),
        at: z.coerce.date(),
      }),
    ),
  }),
);
export type OperatorTopup = Output<typeof OperatorTopup>;

/** `open`: on which somebody has to act; `gateway`: what waits for its payment at a gateway. */
export const OperatorTopupFilter = schema(() =>
  z.union([TopupStatus(), z.enum(['open', 'gateway'])]),
);
export type OperatorTopupFilter = Output<typeof OperatorTopupFilter>;

export const operatorTopups = act({
  name: 'operator_topup_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({ ...paging(['created_at']), status: z.optional(OperatorTopupFilter()) }),
  output: OperatorTopup,
});

/**
 * Confirms by hand: with a bank line's `line`, or the reference typed from the bank statement; either
 * can pay one top-up only. A line up to Rp 999 off is credited as it came. Above the limit, without a
 * line of exactly the total, it is a proposal (`proposal`), which another operator completes with the
 * same reference.
 */
export const confirmTopup = act({
  name: 'operator_topup_confirm',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    topup_id: IdInput('topup'),
    reference: LineOrReference(),
    reason: Reason(),
  }),
  output: OperatorTopup,
  refuses: [
    'topup_already_paid',
    'topup_closed',
    'topup_decided',
    'topup_needs_another',
    'operator_not_independent',
    'topup_at_gateway',
    'topup_amount_mismatch',
    'bank_line_used',
    'bank_line_twin',
  ],
});

/** Asks the gateway of a top-up now what became of it, also of one that is paid or rejected. */
export const checkTopupAtGateway = act({
  name: 'operator_topup_check',
  by: 'operator',
  roles: ['money'],
  input: () => ({ topup_id: IdInput('topup') }),
  output: OperatorTopup,
  refuses: ['gateway_down'],
});

export const rejectTopup = act({
  name: 'operator_topup_reject',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ topup_id: IdInput('topup'), reason: Reason() }),
  output: OperatorTopup,
  refuses: ['topup_already_paid', 'topup_closed', 'topup_decided'],
});
