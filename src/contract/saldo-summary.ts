import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Rupiah } from '#contract/base/money.ts';

// In a file of its own: the first signed-in screen shows the saldo, and nothing else of its page.

export const saldoSummary = act({
  name: 'saldo_summary',
  by: 'customer',
  output: () =>
    z.object({
      available: Rupiah(),
      held: Rupiah(),
      status: z.enum(['active', 'frozen', 'closed']),
      /** Top-ups that wait to be paid. */
      topups_open: z.int(),
      /** What the next message costs: 0 while it is within the quota of the plan. */
      message_price: Rupiah(),
      /** What a message costs that no quota pays for: by the plan, or without one the list price. */
      price_beyond_quota: Rupiah(),
      /** Messages that the plan still includes in this period. */
      quota_left: z.int(),
      /** Below this the account is told that its saldo runs low; null while that is off. */
      alert_threshold: z.nullable(Rupiah()),
      /** True while the saldo is a welcome bonus that pays for a few numbers only. */
      bonus_only: z.boolean(),
    }),
});
export type SaldoSummary = z.output<typeof saldoSummary.output>;
