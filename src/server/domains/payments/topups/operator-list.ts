import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import type { Rupiah } from '#contract/base/money.ts';
import type { PaymentRefund } from '#contract/operator/books.ts';
import type {
  PaymentFlagKind,
  OperatorTopup,
  OperatorTopupFilter,
} from '#contract/operator/payments.ts';
import { userNames, tiesOf } from '#server/domains/accounts/accounts.ts';
import { NEAR } from '#server/domains/payments/bank.ts';
import { refundStateOf } from '#server/domains/payments/gateways/open-refunds.ts';
import type { Config } from '#server/infra/config.ts';
import { isUnmatched } from '#server/domains/payments/statements/lines.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { onCoordinator, withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import {
  type GivenAlone,
  type Proposal,
  UNKNOWN_OPERATOR,
  givenAlone,
  needsTwo,
  proposalsOf,
} from './four-eyes.ts';
import { type TopupRow, statusAt, topupColumns, topupOf } from './topup.ts';

export type ReviewDeps = {
  allAccountsSql: Sql;
  now: () => Date;
  config: Pick<Config, 'FOUR_EYES_ABOVE' | 'FOUR_EYES_DAY_ABOVE'>;
  fileLink: (accountId: string, fileId: string) => string;
};

const CANDIDATES_MAX = 5;
const COUNT_MAX = 10_000;

type OperatorRow = TopupRow & {
  account_name: string;
  candidates: { line: string; amount: number; description: string; at: string; mine: boolean }[];
  slip: SlipRow | null;
  refund: PaymentRefund | null;
  provider: string;
  reference: string | null;
  flag: PaymentFlagKind | null;
  returned: Rupiah | null;
  settled_at: Date | null;
  settled_by: string | null;
  settled_reason: string | null;
};

type SlipRow = {
  file_id: string;
  name: string;
  mime: string;
  at: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  hash: string;
};

type EarlierSlip = { topup_id: string; account_name: string; at: Date };

type Query = {
  operatorId: string;
  status?: OperatorTopupFilter | undefined;
  page?: number | undefined;
  sort_type?: 'asc' | 'desc' | undefined;
};

/**
 * A page of the top-ups of all accounts, each with the unused bank lines that may be its payment. By default, waiting
 * ones with a slip come first.
 */
export async function topupsForOperator(
  deps: ReviewDeps,
  { operatorId, status, page = 0, sort_type }: Query,
): Promise<PageOf<OperatorTopup>> {
  const { allAccountsSql } = deps;
  const at = deps.now();
  const filter = filterOf(allAccountsSql, status, at);
  const [found, [counted]] = await Promise.all([
    allAccountsSql<{ topup_id: string; account_id: string }[]>`
      select topup_id, account_id from topups where ${filter}
      order by ${status === 'open' && sort_type === undefined ? slipsFirst(allAccountsSql) : allAccountsSql``}
        topup_id ${sort_type === 'asc' ? allAccountsSql`asc` : allAccountsSql`desc`}
      limit ${PAGE_SIZE} offset ${Math.min(page * PAGE_SIZE, COUNT_MAX)}`,
    allAccountsSql<{ total: number }[]>`
      select count(*) as total from (select 1 from topups where ${filter} limit ${COUNT_MAX}) counted`,
  ]);
  const ids = found.map((row) => row.topup_id);
  const read = await withEachAccount(
    found.map(({ account_id: accountId, topup_id: id }) => ({ accountId, id })),
    (some) => readForOperator(deps, { ids: some.map(({ id }) => id), at, operatorId }),
  );
  const byId = new Map(read.map(({ id, topup }) => [id, topup]));
  return {
    rows: ids.flatMap((id) => byId.get(id) ?? []),
    total: counted?.total ?? 0,
  };
}

/** SQL: bank lines that may be the payment of a row of `topups`. */
const candidateLines = (sql: Sql | Tx): Fragment => sql`
  bank_lines where ${isUnmatched(sql)} and bank_lines.bank = topups.bank_number
    and bank_lines.amount between topups.total - ${NEAR} and topups.total + ${NEAR}
    and bank_lines.at >= topups.created_at - interval '1 day'`;

/**
 * SQL condition: an operator must act on a row of `topups`: all in review, and transfers whose money may have arrived
 * (a slip, a proposal, a bank line near the total). Other transfers wait for their customer, other payments for their
 * gateway.
 */
export const needsOperator = (sql: Sql | Tx, at: Date): Fragment => sql`
  (topups.status = 'review' or (
    topups.status = 'pending' and topups.provider = 'bank' and topups.expires_at > ${at} and (
      exists (
        select from topup_proofs p
        where p.account_id = topups.account_id and p.topup_id = topups.topup_id
      ) or exists (
        select from topup_proposals p
        where p.account_id = topups.account_id and p.topup_id = topups.topup_id
      ) or exists (select from ${candidateLines(sql)})
    )
  ))`;

function filterOf(allAccountsSql: Sql, status: OperatorTopupFilter | undefined, at: Date) {
  if (status === undefined) return allAccountsSql`true`;
  if (status === 'open') return needsOperator(allAccountsSql, at);
  if (status === 'gateway') {
    return allAccountsSql`${statusAt(allAccountsSql, at)} in ('creating', 'pending')
      and status in ('creating', 'pending') and provider <> 'bank'`;
  }
  // A pending row may have expired before the job has closed it.
  const stored = status === 'expired' ? ['expired', 'pending', 'creating'] : [status];
  return allAccountsSql`${statusAt(allAccountsSql, at)} = ${status} and status = any (${stored}::text[])`;
}

const slipsFirst = (sql: Sql) => sql`
  exists (
    select from topup_proofs p
    where p.account_id = topups.account_id and p.topup_id = topups.topup_id
  ) desc,`;

type More = {
  usedBefore: EarlierSlip | null;
  proposal: Proposal | undefined;
  names: ReadonlyMap<string, string>;
  given: GivenAlone;
};

function operatorTopup(
  { config, fileLink }: Pick<ReviewDeps, 'config' | 'fileLink'>,
  row: OperatorRow,
  { usedBefore, proposal, names, given }: More,
): OperatorTopup {
  const { slip } = row;
  return {
    ...topupOf(row),
    account_name: row.account_name,
    candidates: row.candidates.map((line) => ({ ...line, at: new Date(line.at) })),
    slip: slip && {
      url: fileLink(row.account_id, slip.file_id),
      name: slip.name,
      mime: slip.mime,
      at: new Date(slip.at),
      used_before: usedBefore && {
        topup_id: publicId('topup', usedBefore.topup_id),
        account_name: usedBefore.account_name,
        at: usedBefore.at,
      },
    },
    gateway: gatewayOf(row, names),
    refund: row.refund,
    needs_two: needsTwo(config, { accountId: row.account_id, amount: row.total }, given),
    proposal: proposal ?? null,
  };
}

function gatewayOf(row: OperatorRow, names: ReadonlyMap<string, string>): OperatorTopup['gateway'] {
  const { provider, reference, flag, returned, settled_at, settled_by, settled_reason } = row;
  if (provider === 'bank') return null;
  const settled = settled_at && {
    by: names.get(settled_by ?? '') ?? UNKNOWN_OPERATOR,
    reason: settled_reason ?? '',
    at: settled_at,
  };
  return { provider, reference, flag: flag && { kind: flag, returned, settled } };
}

type TopupsQuery = { ids: readonly string[]; at: Date; operatorId: string };

export async function readForOperator(
  deps: ReviewDeps,
  { ids, at, operatorId }: TopupsQuery,
): Promise<{ id: string; topup: OperatorTopup }[]> {
  const { allAccountsSql: sql } = deps;
  const ties = await onCoordinator(() => tiesOf(sql, operatorId));
  const rows = await sql<OperatorRow[]>`
    select ${topupColumns(sql, at)}, accounts.name as account_name, topups.provider,
      coalesce(topups.provider_txn_id, topups.provider_ref) as reference, orders.flag,
      orders.returned, orders.settled_at, orders.settled_by, orders.settled_reason, lines.candidates, slips.slip, (
        select ${refundStateOf(sql)} from refunds
        join provider_payments p using (account_id, provider, txn_id)
        where refunds.account_id = topups.account_id and refunds.topup_id = topups.topup_id
          and p.outcome = 'paid'
      ) as refund
    from topups
    join accounts using (account_id)
    left join gateway_orders orders using (account_id, topup_id)
    cross join lateral (
      select coalesce(jsonb_agg(to_jsonb(near) - 'off' order by off, near.at), '[]') as candidates
      from (
        select hash as line, amount, description, bank_lines.at,
          coalesce(imported_by = any(${[...ties.related]}::uuid[]), false) as mine, abs(amount - topups.total) as off
        from ${candidateLines(sql)} and topups.status not in ('paid', 'rejected')
        order by off, bank_lines.at limit ${CANDIDATES_MAX}
      ) near
    ) lines
    cross join lateral (select ${newestSlip(sql)} as slip) slips
    where topups.topup_id = any (${[...ids]}::uuid[])`;
  const proposals = await proposalsOf(sql, ids, operatorId);
  const names = await userNames(
    sql,
    rows.flatMap(({ settled_by }) => settled_by ?? []),
  );
  const earlier = await earlierSlips(sql, rows);
  const given = await onCoordinator(() => givenAlone(sql, { ties, at }));
  return rows.map((row) => ({
    id: row.topup_id,
    topup: operatorTopup(deps, row, {
      usedBefore: earlier.get(row.topup_id) ?? null,
      proposal: proposals.get(row.topup_id),
      names,
      given: isDecided(row) ? noGifts : given,
    }),
  }));
}

const noGifts: GivenAlone = { byAccount: new Map(), total: 0 };

const isDecided = ({ status }: OperatorRow): boolean => status === 'paid' || status === 'rejected';

const newestSlip = (sql: Sql) => sql`(
  select jsonb_build_object(
    'file_id', p.file_id, 'name', p.name, 'mime', p.mime, 'at', p.at,
    'hash', encode(p.sha256, 'hex')
  )
  from topup_proofs p
  where p.account_id = topups.account_id and p.topup_id = topups.topup_id
  order by p.at desc, p.file_id desc limit 1
)`;

/** By top-up, the first other top-up, of any account, that had the file of its newest slip before. */
async function earlierSlips(
  sql: Sql,
  rows: readonly OperatorRow[],
): Promise<ReadonlyMap<string, EarlierSlip>> {
  const slips = rows.flatMap(({ topup_id: id, slip }) => (slip ? [{ id, ...slip }] : []));
  if (slips.length === 0) return new Map();
  const found = await onCoordinator(
    () => sql<(EarlierSlip & { hash: string })[]>`
      select encode(o.sha256, 'hex') as hash, o.topup_id, a.name as account_name, o.at
      from topup_proofs o join accounts a on a.account_id = o.account_id
      where o.sha256 = any(${slips.map(({ hash }) => Buffer.from(hash, 'hex'))}::bytea[])
      order by o.at`,
  );
  return new Map(
    slips.flatMap(({ id, hash, at }) => {
      const earlier = found.find(
        (one) => one.hash === hash && one.topup_id !== id && one.at <= new Date(at),
      );
      return earlier ? [[id, earlier] as const] : [];
    }),
  );
}
