import { type InputOf } from '#contract/base/act.ts';
import { payInvoice } from '#contract/billing/invoices.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Topup, TopupMethod } from '#contract/saldo.ts';
import { handle } from '#server/infra/acts/act.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { findInvoice, invoiceOf } from './row.ts';

/** What paying needs of others. */
export type PayPorts = {
  /**
   * Charges what an open invoice of a plan is for, from the saldo, and settles the invoice.
   *
   * @throws Refusal `saldo_short`, `wallet_frozen`, `account_suspended`, `invoice_closed`.
   */
  payPlanInvoice: (which: { accountId: string; invoiceId: string }) => Promise<void>;
  /** Makes a top-up for an invoice, as `topup_create` does; the key again gives the same one. */
  placeTopup: (request: {
    accountId: string;
    key: string;
    base: Rupiah;
    method: TopupMethod;
    invoiceId: string;
  }) => Promise<Topup>;
};

type PayDeps = { sql: Sql; ports: PayPorts };

export const payInvoiceHandler = (deps: PayDeps) =>
  handle(payInvoice, ({ caller: { accountId }, key }, input) =>
    payOne(deps, { accountId, key }, input),
  );

/**
 * Pays an open invoice of a plan: from the saldo at once, or by a top-up of its amount that is made for it.
 *
 * @throws Refusal `not_found`, `invoice_closed` when it does not wait for a payment, and those of the ports.
 */
async function payOne(
  { sql, ports }: PayDeps,
  { accountId, key }: { accountId: string; key: string },
  { invoice_id: invoiceId, method }: InputOf<typeof payInvoice>,
) {
  const find = () => asAccount(sql, accountId, (tx) => findInvoice(tx, { accountId, invoiceId }));
  const row = await find();
  if (row.kind !== 'plan' || row.status !== 'open') throw new Refusal('invoice_closed', {});
  if (method === undefined) {
    await ports.payPlanInvoice({ accountId, invoiceId });
    return { invoice: invoiceOf(await find()), topup_id: null };
  }
  const topup = await ports.placeTopup({
    accountId,
    key,
    base: rupiah(row.base),
    method,
    invoiceId,
  });
  return { invoice: invoiceOf(await find()), topup_id: topup.id };
}
