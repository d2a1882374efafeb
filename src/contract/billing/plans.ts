import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Rupiah } from '#contract/base/money.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** How the short name of a plan is written. */
export const PLAN_CODE = /^[a-z][a-z0-9-]{1,30}$/;

/** The short name of a plan, in addresses and calls: `gratis`, `usaha`, `bisnis`. */
export const PlanCode = schema(() => z.string().check(z.regex(PLAN_CODE, 'Paket tidak dikenali.')));
export type PlanCode = Output<typeof PlanCode>;

/** One revision of a plan: what it costs and includes. A customer keeps theirs until the renewal. */
export const Plan = schema(() =>
  z.object({
    code: PlanCode(),
    revision: z.int(),
    name: z.string(),
    description: z.string(),
    /** For a month, in advance; 0 is free. */
    price: Rupiah(),
    /** How many tokens an account may have. */
    tokens: z.int(),
    /** Messages included in a month. */
    quota: z.int(),
    /** What a message costs beyond them. */
    overage: Rupiah(),
  }),
);
export type Plan = Output<typeof Plan>;

/** The plans on offer, cheapest first. */
export const listPlans = act({
  name: 'plan_list',
  by: 'customer',
  output: () => z.object({ plans: z.array(Plan()) }),
});

export const SubscriptionStatus = schema(() =>
  z.enum(['active', 'past_due', 'suspended', 'cancelled']),
);
export type SubscriptionStatus = Output<typeof SubscriptionStatus>;

/** Statuses in the interface's words. */
export const subscriptionStatusLabel: Record<SubscriptionStatus, string> = {
  active: 'Aktif',
  past_due: 'Menunggu pembayaran',
  suspended: 'Ditangguhkan',
  cancelled: 'Berhenti',
};

/** An account's subscription: its plan, the period, and what has been used of it. */
export const Subscription = schema(() =>
  z.object({
    /** What it has now, by the revision that it began the period with. */
    plan: Plan(),
    status: SubscriptionStatus(),
    /** The period `[start, end)`; both are midnights in WIB. */
    period_start: z.coerce.date(),
    period_end: z.coerce.date(),
    /** What is charged next, when; null when it ends with the period or costs nothing. */
    next_charge: z.nullable(z.object({ at: z.coerce.date(), amount: Rupiah() })),
    /** The plan that begins with the next period, where that is another. */
    next_plan: z.nullable(Plan()),
    /** True when it was cancelled: at the end of the period it becomes the free plan. */
    cancel_at_period_end: z.boolean(),
    /** Until when what it includes stays, while it is past due. */
    grace_until: z.nullable(z.coerce.date()),
    /** What is missing for the charge that is due; null when nothing is due or missing. */
    shortage: z.nullable(Rupiah()),
    usage: z.object({
      /** Messages of the quota that this period has used. */
      used: z.int(),
      quota: z.int(),
      /** Messages beyond the quota in this period, and what they cost. */
      beyond: z.int(),
      beyond_amount: Rupiah(),
      /** How many messages the period will have had by its end, at the pace so far; null on its first day. */
      forecast: z.nullable(z.int()),
    }),
    /** Tokens in use, of `plan.tokens`. */
    tokens_used: z.int(),
  }),
);
export type Subscription = Output<typeof Subscription>;

export const getSubscription = act({
  name: 'subscription_get',
  by: 'customer',
  output: Subscription,
});

/** What a change of plan would do, to the rupiah; `subscription_change` does exactly this. */
export const SubscriptionPreview = schema(() =>
  z.object({
    from: Plan(),
    to: Plan(),
    /**
     * `now`: begins at once, prorated (an upgrade, or from the free plan). `period_end`: begins with the
     * next period (a downgrade).
     */
    when: z.enum(['now', 'period_end']),
    starts_at: z.coerce.date(),
    /** Given back for the days left of the plan now. */
    credit: Rupiah(),
    /** Charged for the days left with the new one; the whole price where a period begins today. */
    charge: Rupiah(),
    /** `charge - credit`: what leaves the saldo now; negative is given back. */
    total: Rupiah(),
    days_left: z.int(),
    days_in_period: z.int(),
    /** Messages that the period includes then, those that are used counted; prorated like the price. */
    quota: z.int(),
    /** The end of the period that begins or goes on, and what is charged then. */
    next_charge: z.nullable(z.object({ at: z.coerce.date(), amount: Rupiah() })),
    available: Rupiah(),
    /** What the saldo lacks; 0 when it reaches. */
    shortage: Rupiah(),
    /** Tokens in use beyond what the new plan allows: they stay, but no more can be made. */
    tokens_over: z.int(),
    /** Names this preview; good until midnight in WIB, and while nothing it says has changed. */
    quote: z.string(),
  }),
);
export type SubscriptionPreview = Output<typeof SubscriptionPreview>;

export const previewSubscription = act({
  name: 'subscription_preview',
  by: 'customer',
  input: () => ({ plan: PlanCode() }),
  output: SubscriptionPreview,
  refuses: ['plan_same'],
});

export const changeSubscription = act({
  name: 'subscription_change',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ plan: PlanCode(), quote: z.string().check(z.maxLength(200)) }),
  output: Subscription,
  refuses: ['plan_same', 'quote_stale', 'saldo_short', 'wallet_frozen', 'account_suspended'],
});

/** Ends the plan with its period; it becomes the free plan then. */
export const cancelSubscription = act({
  name: 'subscription_cancel',
  by: 'customer',
  changes: true,
  audited: true,
  output: Subscription,
  refuses: ['subscription_not_running'],
});

/** Takes a cancelling or a planned change back, or starts a suspended plan again, charged today. */
export const resumeSubscription = act({
  name: 'subscription_resume',
  by: 'customer',
  changes: true,
  audited: true,
  output: Subscription,
  refuses: ['subscription_not_running', 'saldo_short', 'wallet_frozen', 'account_suspended'],
});
