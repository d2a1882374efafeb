import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { type Invoice, getInvoice, listInvoices } from '#contract/billing.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { type InvoiceRow, detailOf, findInvoice, invoiceColumns, invoiceOf } from './row.ts';

export const listInvoicesHandler = ({ sql }: { sql: Sql }) =>
  handle(listInvoices, ({ caller }, input) => invoicesOf(sql, caller.accountId, input));

export const getInvoiceHandler = ({ sql, origin }: { sql: Sql; origin: () => string }) =>
  handle(getInvoice, ({ caller: { accountId } }, { invoice_id: invoiceId }) =>
    asAccount(sql, accountId, async (tx) =>
      detailOf(await findInvoice(tx, { accountId, invoiceId }), origin()),
    ),
  );

/** @throws Refusal `not_found`, also for another account's. */
export const readInvoice = async (
  sql: Sql | Tx,
  which: { accountId: string; invoiceId: string },
): Promise<Invoice> => invoiceOf(await findInvoice(sql, which));

function invoicesOf(
  sql: Sql,
  accountId: string,
  query: InputOf<typeof listInvoices>,
): Promise<PageOf<Invoice>> {
  const { status, kind, page = 0 } = query;
  return asAccount(sql, accountId, async (tx) => {
    const filter = tx`account_id = ${accountId}
      ${status === undefined ? tx`` : tx`and status = ${status}`}
      ${kind === undefined ? tx`` : tx`and kind = ${kind}`}`;
    const order = query.sort_type === 'asc' ? tx`asc` : tx`desc`;
    const [found, [counted]] = await Promise.all([
      tx<InvoiceRow[]>`
        select ${invoiceColumns(tx)} from invoices where ${filter}
        order by created_at ${order}, invoice_id ${order}
        limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
      tx<{ total: number }[]>`select count(*) as total from invoices where ${filter}`,
    ]);
    return { rows: found.map(invoiceOf), total: counted?.total ?? 0 };
  });
}
