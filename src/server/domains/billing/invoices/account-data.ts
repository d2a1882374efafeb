import { publicId } from '#contract/base/ids.ts';
import {
  type AccountData,
  type AccountDataDeps,
  type Row,
  atOnce,
  inPages,
} from '#server/infra/account-data.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

/**
 * An account's invoices and buyer data. Tax law requires invoices for ten years (UU KUP, article 28): numbers, amounts,
 * lines and days stay; the buyer and the documents are erased.
 */
export const invoicesAccountData = ({ sql, allAccountsSql }: AccountDataDeps): AccountData => ({
  subjects: (accountId) => [
    { name: 'tagihan', rows: () => invoicesOf(sql, accountId) },
    {
      name: 'profil-tagihan',
      rows: () =>
        atOnce(() =>
          asAccount(
            sql,
            accountId,
            (tx) => tx<Row[]>`
              select name, npwp, address, email, updated_at from billing_profiles
              where account_id = ${accountId}`,
          ),
        ),
    },
  ],
  erase: async ({ accountId }) => void (await allAccountsSql`select erase_buyer(${accountId})`),
});

type Named = Row & { invoice_id: string };

async function* invoicesOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const invoices = inPages<Named>(
    { sql, accountId },
    (tx, last, limit) => tx<Named[]>`
      select invoice_id, kind, status, number, title, period_start, period_end, lines, base, ppn,
        unique_code, total, seller, buyer, paid_with, note, created_at, due_at, paid_at
      from invoices where account_id = ${accountId}
        ${last ? tx`and invoice_id > ${last.invoice_id}` : tx``}
      order by invoice_id limit ${limit}`,
  );
  for await (const { invoice_id, ...facts } of invoices) {
    yield { id: publicId('invoice', invoice_id), ...facts };
  }
}
