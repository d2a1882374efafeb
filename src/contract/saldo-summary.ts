import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Rupiah } from '#contract/base/money.ts';

// In its own file because the first signed-in screen needs only the saldo.

/** Unpaid top-ups per account at once (docs/money.md#top-ups). */
export const TOPUPS_OPEN_MAX = 3;
/** Unsuccessful top-ups per account within 24 hours. */
export const TOPUPS_DAY_MAX = 20;

export const saldoSummary = act({
  name: 'saldo_summary',
  by: 'customer',
  output: () =>
    z.object({
      available: Rupiah(),
      held: Rupiah(),
      status: z.enum(['active', 'frozen', 'closed']),
      /** Unpaid top-ups; at `TOPUPS_OPEN_MAX` another one is refused. */
      topups_open: z.int(),
      /** Unsuccessful top-ups of the last 24 hours; at `TOPUPS_DAY_MAX` another one is refused. */
      topups_unpaid: z.int(),
      /** The price of the next message: 0 while the quota of the plan covers it. */
      message_price: Rupiah(),
      price_beyond_quota: Rupiah(),
      quota_left: z.int(),
      /** The account is notified when its saldo falls below this; null: off. */
      alert_threshold: z.nullable(Rupiah()),
      /** True while the saldo is a welcome bonus, which pays for a few numbers only. */
      bonus_only: z.boolean(),
    }),
});
export type SaldoSummary = z.output<typeof saldoSummary.output>;
