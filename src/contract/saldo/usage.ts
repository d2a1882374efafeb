import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Rupiah } from '#contract/base/money.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** Days of the chart, today included. */
export const USAGE_DAYS = 30;
/** Whole days that the average is taken over, at most, and at least before it is said at all. */
export const PACE_DAYS = 7;
export const PACE_DAYS_MIN = 3;

/** What went out on one day of WIB, by when its messages were accepted. */
export const UsageDay = schema(() =>
  z.object({
    /** `YYYY-MM-DD` */
    date: z.string(),
    /** Paid for messages. */
    captured: Rupiah(),
    /** Held for messages that wait for their outcome. */
    held: Rupiah(),
    /** Paid for plans. */
    plan: Rupiah(),
  }),
);
export type UsageDay = Output<typeof UsageDay>;

/**
 * What messages cost a day, as the whole days before today say: `known` the average of `days` of them,
 * `little` when there are too few days since the first use, `none` without any use.
 */
export const Pace = schema(() =>
  z.discriminatedUnion('state', [
    z.object({ state: z.literal('known'), per_day: Rupiah(), days: z.int() }),
    z.object({ state: z.literal('little') }),
    z.object({ state: z.literal('none') }),
  ]),
);
export type Pace = Output<typeof Pace>;

/** What went out in the last 30 days, the oldest first, today last. */
export const saldoUsage = act({
  name: 'saldo_usage',
  by: 'customer',
  output: () => z.object({ days: z.array(UsageDay()), pace: Pace() }),
});
export type SaldoUsage = z.output<typeof saldoUsage.output>;
