import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Topup, TopupMethod, TopupStatus } from '#contract/saldo.ts';
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
  method: TopupMethod;
  simulated: boolean;
  /** Null together, where it is no bank transfer. */
  bank_name: string | null;
  bank_number: string | null;
  bank_holder: string | null;
  qr: string | null;
  va_bank: string | null;
  va_number: string | null;
  page_url: string | null;
  created_at: Date;
  expires_at: Date;
  paid_at: Date | null;
  note: string | null;
  proof: { file_id: string; at: string } | null;
};

/** A top-up's status at an instant: expired after its time, also before the job has closed it. */
export const statusAt = (sql: Sql | Tx, now: Date): Fragment => sql`
  case when topups.status in ('creating', 'pending') and topups.expires_at <= ${now} then 'expired'
    else topups.status end`;

/** The columns of a `TopupRow`, from a table called `topups`. */
export const topupColumns = (sql: Sql | Tx, now: Date): Fragment => sql`
  topups.account_id, topups.topup_id, ${statusAt(sql, now)} as status, topups.base, topups.ppn,
  topups.unique_code, topups.total, topups.credited, topups.method, topups.simulated,
  topups.bank_name, topups.bank_number, topups.bank_holder, topups.qr, topups.va_bank,
  topups.va_number, topups.page_url, topups.created_at, topups.expires_at, topups.paid_at,
  topups.note, (
    select json_build_object('file_id', p.file_id, 'at', p.at) from topup_proofs p
    where p.account_id = topups.account_id and p.topup_id = topups.topup_id
    order by p.at desc, p.file_id desc limit 1
  ) as proof`;

/** The top-up as its owner sees it. */
export const topupOf = (row: TopupRow): Topup => ({
  id: publicId('topup', row.topup_id),
  status: row.status,
  base: rupiah(row.base),
  ppn: rupiah(row.ppn),
  unique_code: rupiah(row.unique_code),
  total: rupiah(row.total),
  credited: rupiah(row.credited),
  method: row.method,
  simulated: row.simulated,
  bank: bankOf(row),
  qr: row.qr,
  va:
    row.va_bank === null || row.va_number === null
      ? null
      : { bank: row.va_bank, number: row.va_number },
  page_url: row.page_url,
  proof: row.proof && {
    file_id: publicId('file', row.proof.file_id),
    at: new Date(row.proof.at),
  },
  created_at: row.created_at,
  expires_at: row.expires_at,
  paid_at: row.paid_at,
  note: row.note,
});

function bankOf({ bank_name, bank_number, bank_holder }: TopupRow): Topup['bank'] {
  if (bank_name === null || bank_number === null || bank_holder === null) return null;
  return { name: bank_name, number: bank_number, holder: bank_holder };
}

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
