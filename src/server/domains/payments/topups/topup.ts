import type { PaymentsDeps, TopupDeps } from '#server/domains/payments/deps.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type Topup,
  type TopupMethod,
  type TopupStatus,
  getTopup,
  listTopups,
} from '#contract/saldo.ts';
import {
  type Fragment,
  type Sql,
  type Tx,
  asAccount,
  retrying,
} from '#server/infra/postgres/database.ts';
import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { handle } from '#server/infra/acts.ts';
import { saldoSummary } from '#contract/saldo-summary.ts';
import { alertOf } from '#server/domains/payments/alerts.ts';
import { limitedTopups } from './placing.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';

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
  /** Both null unless it is a bank transfer. */
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

/** SQL: a top-up's status at an instant; expired after its time, also before the job has closed it. */
export const statusAt = (sql: Sql | Tx, now: Date): Fragment => sql`
  case when topups.status in ('creating', 'pending') and topups.expires_at <= ${now} then 'expired'
    else topups.status end`;

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

/** Finds a top-up of an account. @throws Refusal `not_found`, also for another account's. */
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

export const listTopupsHandler = ({ sql, now }: TopupDeps) =>
  handle(listTopups, ({ caller }, input) =>
    topupsOf(sql, caller.accountId, { ...input, now: now() }),
  );

export const getTopupHandler = ({ sql, now }: TopupDeps) =>
  handle(getTopup, ({ caller: { accountId } }, { topup_id: topupId }) =>
    asAccount(sql, accountId, (tx) => findTopup(tx, { accountId, topupId, now: now() })),
  );

/** Finds a top-up of an account, for operators. @throws Refusal `not_found`. */
export const topupOfAccount = (
  allAccountsSql: Sql,
  topup: { accountId: string; topupId: string; now: Date },
): Promise<Topup> => asAccount(allAccountsSql, topup.accountId, (tx) => findTopup(tx, topup));

type Query = InputOf<typeof listTopups> & { now: Date };

function topupsOf(sql: Sql, accountId: string, query: Query): Promise<PageOf<Topup>> {
  const { now, status, page = 0 } = query;
  return asAccount(sql, accountId, async (tx) => {
    const filter = tx`account_id = ${accountId}
      ${status === undefined ? tx`` : tx`and ${statusAt(tx, now)} = ${status}`}`;
    const [found, [counted]] = await Promise.all([
      tx<TopupRow[]>`
        select ${topupColumns(tx, now)} from topups where ${filter}
        order by topup_id ${query.sort_type === 'asc' ? tx`asc` : tx`desc`}
        limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
      tx<{ total: number }[]>`select count(*) as total from topups where ${filter}`,
    ]);
    return { rows: found.map(topupOf), total: counted?.total ?? 0 };
  });
}

export const saldoSummaryHandler = ({ sql, prices, now }: PaymentsDeps) =>
  handle(saldoSummary, ({ caller: { accountId } }) =>
    asAccount(sql, accountId, async (tx) => {
      const [wallet, { threshold }, { waiting, unpaid }] = await Promise.all([
        walletOf(tx, accountId),
        alertOf(tx, accountId),
        limitedTopups(tx, accountId, now()),
      ]);
      return {
        available: wallet.available,
        held: wallet.held,
        status: wallet.status,
        topups_open: waiting,
        topups_unpaid: unpaid,
        message_price: wallet.planPrice ?? prices.message(),
        price_beyond_quota: wallet.beyondQuotaPrice ?? prices.message(),
        quota_left: Math.max(0, wallet.planQuota - wallet.planUsed),
        alert_threshold: threshold,
        bonus_only: wallet.isBonusOnly,
      };
    }),
  );

const BATCH = 500;

/**
 * Expires bank transfers after their time, and frees amounts after their reservation. Those with a slip or a proposal
 * go to review instead. The poller expires gateway orders, after asking the gateway.
 * A job calls it every minute; any number of nodes may.
 *
 * @returns the number of closed top-ups, including those in review, and of freed amounts.
 */
export async function expireTopups({
  allAccountsSql,
  now,
}: {
  allAccountsSql: Sql;
  now: () => Date;
}): Promise<{ expired: number; freed: number }> {
  const at = now();
  let expired = 0;
  for (let closedNow = BATCH; closedNow === BATCH; expired += closedNow) {
    closedNow = await retrying(async () => {
      const done = await allAccountsSql`
        update topups set status = due.next from (
          select account_id, topup_id, case when exists (
              select from topup_proofs p
              where p.account_id = topups.account_id and p.topup_id = topups.topup_id
            ) or exists (
              select from topup_proposals p
              where p.account_id = topups.account_id and p.topup_id = topups.topup_id
            ) then 'review' else 'expired' end as next
          from topups
          where status = 'pending' and provider = 'bank' and expires_at <= ${at}
          order by expires_at limit ${BATCH} for update skip locked
        ) due
        where topups.account_id = due.account_id and topups.topup_id = due.topup_id`;
      return done.count;
    });
  }
  const freed = await allAccountsSql`delete from reserved_transfers where reserved_until <= ${at}`;
  return { expired, freed: freed.count };
}
