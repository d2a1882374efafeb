import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { formatRupiah, Rupiah } from '#contract/base/money.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';

export const ALERT_MIN = 1_000;
export const ALERT_MAX = 100_000_000;

/** When an account is told that its saldo runs low. */
export const SaldoAlert = schema(() =>
  z.object({
    /** Null while it is off. */
    threshold: z.nullable(Rupiah()),
    /** When it was told last. */
    fired_at: z.nullable(z.coerce.date()),
  }),
);
export type SaldoAlert = Output<typeof SaldoAlert>;

export const getSaldoAlert = act({
  name: 'saldo_alert_get',
  by: 'customer',
  output: SaldoAlert,
});

/** Sets the threshold; without one the alert is off. */
export const saveSaldoAlert = act({
  name: 'saldo_alert_save',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({
    threshold: z.optional(
      WholeNumber({
        missing: 'Tulis batasnya, atau matikan peringatannya.',
        sentence: 'Tulis batas dengan angka saja, dalam rupiah bulat.',
        minimum: ALERT_MIN,
        tooSmall: `Batas paling sedikit ${formatRupiah(ALERT_MIN)}.`,
        maximum: ALERT_MAX,
        tooBig: `Batas paling banyak ${formatRupiah(ALERT_MAX)}.`,
      }),
    ),
  }),
  output: SaldoAlert,
});
