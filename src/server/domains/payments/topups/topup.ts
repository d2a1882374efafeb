import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Topup, TopupStatus } from '#contract/saldo.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

/** A row of `topups`, with its status at a given instant. */
export type TopupRow = {
  account_id: string;
  topup_id: string;
  status: TopupStatus;
  base: number;
  ppn: number;
  unique_code: number;
  total: number;
  credited: number;
  bank_name: string;
  bank_number: string;
  bank_holder: string;
  created_at: Date;
  expires_at: Date;
  paid_at: Date | null;
  note: string | null;
};

/** A top-up's status at an instant: expired after its time, also before the job has closed it. */
export const statusAt = (sql: Sql | Tx, now: Date): Fragment => sql`
  case when topups.status = 'pending' and topups.expires_at <= ${now} then 'expired'
    else topups.status end`;

/** The columns of a `TopupRow`, from a table called `topups`. */
export const topupColumns = (sql: Sql | Tx, now: Date): Fragment => sql`
  topups.account_id, topups.topup_id, ${statusAt(sql, now)} as status, topups.base, topups.ppn,
  topups.unique_code, topups.total, topups.credited, topups.bank_name, topups.bank_number,
  topups.bank_holder, topups.created_at, topups.expires_at, topups.paid_at, topups.note`;

/** The top-up as its owner sees it. */
export const topupOf = (row: TopupRow): Topup => ({
  id: publicId('topup', row.topup_id),
  status: row.status,
  base: rupiah(row.base),
  ppn: rupiah(row.ppn),
  unique_code: rupiah(row.unique_code),
  total: rupiah(row.total),
  credited: rupiah(row.credited),
  bank: { name: row.bank_name, number: row.bank_number, holder: row.bank_holder },
  created_at: row.created_at,
  expires_at: row.expires_at,
  paid_at: row.paid_at,
  note: row.note,
});

/**
 * One top-up of an account.
 *
 * @throws Refusal `not_found`, also for another account's.
 */
export async function findTopup(
  sql: Sql | Tx,
  { accountId, topupId, now }: { accountId: string; topupId: string; now: Date },
): Promise<Topup> {
  const [row] = await sql<TopupRow[]>`
    select ${topupColumns(sql, now)} from topups
    where account_id = ${accountId} and topup_id = ${topupId}`;
  if (!row) throw new Refusal('not_found', { what: 'Isi saldo' });
  return topupOf(row);
}
