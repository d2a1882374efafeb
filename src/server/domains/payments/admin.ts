import { perBucket } from '#server/infra/postgres/distribution/scope.ts';
import { RUPIAH_MAX, type Rupiah, rupiah } from '#contract/base/money.ts';
import type { TopupStatus } from '#contract/saldo.ts';
import type { FindingCode, MoneyOverview } from '#contract/operator/books.ts';
import { civilDate } from '#contract/base/time.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { GatewayTrouble } from './gateways/gateway.ts';
import { flagged } from './gateways/flags.ts';
import { isUnmatched } from './statements/lines.ts';
import { unresolved } from './suspense.ts';
import { needsOperator } from './topups/operator-list.ts';
import { statusAt } from './topups/topup.ts';

export type RecentTopup = {
  topup_id: string;
  status: TopupStatus;
  total: Rupiah;
  credited: Rupiah;
  at: Date;
};

const RECENT_MAX = 10;

export async function recentTopups(
  allAccountsSql: Sql | Tx,
  accountId: string,
  at: Date,
): Promise<RecentTopup[]> {
  const found = await allAccountsSql<RecentTopup[]>`
    select topup_id, ${statusAt(allAccountsSql, at)} as status, total, credited, created_at as at
    from topups where account_id = ${accountId} order by topup_id desc limit ${RECENT_MAX}`;
  return [...found];
}

/** The account of a top-up. Asks each account, because ids are unique only within one. */
export async function holderOfTopup(
  allAccountsSql: Sql,
  topupId: string,
): Promise<string | undefined> {
  const [found] = await allAccountsSql<{ id: string }[]>`
    select a.account_id as id from accounts a cross join lateral (
      select 1 from topups t where t.account_id = a.account_id and t.topup_id = ${topupId}
      ${perBucket(allAccountsSql)}
    ) found limit 1`;
  return found?.id;
}

export async function paidSince(
  allAccountsSql: Sql | Tx,
  since: Date,
): Promise<{ method: string; count: number; amount: Rupiah }[]> {
  const found = await allAccountsSql<{ method: string; count: number; amount: Rupiah }[]>`
    select method, count(*) as count, sum(received)::bigint as amount from topups
    where status = 'paid' and paid_at >= ${since} group by method order by amount desc`;
  return [...found];
}

export type MoneyWork = MoneyOverview['waiting'];

type Work = MoneyWork[keyof MoneyWork];

async function sumOf(
  sql: Sql | Tx,
  amount: Fragment,
  since: Fragment,
  rows: Fragment,
): Promise<Work> {
  const [found] = await sql<Work[]>`
    select count(*) as count, least(coalesce(sum(${amount}), 0), ${RUPIAH_MAX})::bigint as amount,
      min(${since}) as oldest
    from ${rows}`;
  return found ?? { count: 0, amount: rupiah(0), oldest: null };
}

export const unmatchedLines = (sql: Sql | Tx): Promise<Work> =>
  sumOf(sql, sql`amount`, sql`received_at`, sql`bank_lines where ${isUnmatched(sql)}`);

/**
 * Work on money that waits for an operator; the overview, `doctor` and the metrics share these figures. Each kind is
 * counted by the rule of its list. Pass a snapshot transaction for figures of one instant.
 */
export async function moneyWork(sql: Sql | Tx, at: Date): Promise<MoneyWork> {
  const sums = (amount: Fragment, since: Fragment, rows: Fragment) =>
    sumOf(sql, amount, since, rows);
  const [topups, lines, suspense, withdrawn, refunds] = await Promise.all([
    sums(sql`total`, sql`created_at`, sql`topups where ${needsOperator(sql, at)}`),
    unmatchedLines(sql),
    sums(sql`p.amount`, sql`p.at`, sql`provider_payments p where ${unresolved(sql)}`),
    sums(sql`coalesce(o.returned, t.total)`, sql`o.flagged_at`, flagged(sql)),
    sums(sql`amount`, sql`created_at`, sql`refunds where status = 'open'`),
  ]);
  return { topups, bank_lines: lines, suspense, withdrawn, refunds };
}

export type PaymentFinding = {
  code: FindingCode;
  severity: 'red' | 'attention';
  count: number;
  amount: Rupiah;
  examples: readonly string[];
};

/**
 * Fetches the status of a payment from its gateway; null when the gateway does not know the payment.
 *
 * @throws GatewayTrouble when the gateway does not answer or is no longer configured.
 */
export type StatusOf = (payment: {
  provider: string;
  topupId: string;
}) => Promise<{ status: 'paid' | 'refunded' | 'open'; amount: number } | null>;

type Reconciled = { since: Date; before: Date };

const EXAMPLES_MAX = 10;
const CHECKED_MAX = 500;

/**
 * Compares paid top-ups with bank lines, and gateway payments with our postings.
 *
 * @param since compares top-ups paid since then.
 * @param before an unmatched bank line older than this is a finding, and so is an older confirmed transfer whose line
 *   has not arrived with a statement.
 */
export async function reconcilePayments(
  tx: Tx,
  { since, before }: Reconciled,
): Promise<PaymentFinding[]> {
  return [
    findingOf('transfer_without_line', 'red', await transfersWithoutLine(tx, { since, before })),
    findingOf('line_amount_differs', 'red', await differingLines(tx, since)),
    findingOf('line_unused', 'attention', await unusedLines(tx, before)),
    findingOf('payment_unverified', 'red', await unverifiedPayments(tx, since)),
    ...(await bankFindings(tx, since)),
  ].filter(({ count }) => count > 0);
}

/**
 * Compares imported lines with the bank's balances: statements of the same day agree, each day begins with the balance
 * that the day before ended with, and the imported lines of a day do not exceed its credits.
 */
export async function bankFindings(sql: Sql | Tx, since: Date): Promise<PaymentFinding[]> {
  return [
    findingOf('statements_differ', 'red', await differingStatements(sql, since)),
    findingOf('statement_gap', 'red', await statementGaps(sql, since)),
    findingOf('lines_exceed_statement', 'red', await exceedingLines(sql, since)),
  ].filter(({ count }) => count > 0);
}

type Item = { id: string; amount: number };

const findingOf = (
  code: FindingCode,
  severity: 'red' | 'attention',
  items: readonly Item[],
): PaymentFinding => ({
  code,
  severity,
  count: items.length,
  // A made-up file may name any amounts; a sum that overflows is still a finding.
  amount: rupiah(
    Math.min(
      RUPIAH_MAX,
      items.reduce((sum, { amount }) => sum + amount, 0),
    ),
  ),
  examples: items.slice(0, EXAMPLES_MAX).map(({ id }) => id),
});

const transfersWithoutLine = (tx: Tx, { since, before }: Reconciled): PromiseLike<Item[]> => tx<
  Item[]
>`
  select t.topup_id as id, t.received as amount from topups t
  where t.status = 'paid' and t.provider = 'bank' and t.paid_at >= ${since} and t.paid_at < ${before}
    and not exists (
    select from bank_lines l where l.account_id = t.account_id and l.topup_id = t.topup_id
  ) order by t.paid_at`;

const differingLines = (tx: Tx, since: Date): PromiseLike<Item[]> => tx<Item[]>`
  select t.topup_id as id, abs(t.received - min(l.amount))::bigint as amount
  from topups t join bank_lines l on l.account_id = t.account_id and l.topup_id = t.topup_id
  where t.status = 'paid' and t.provider = 'bank' and t.paid_at >= ${since}
  group by t.account_id, t.topup_id, t.received
  having bool_and(l.amount <> t.received)`;

const unusedLines = (tx: Tx, before: Date): PromiseLike<Item[]> => tx<Item[]>`
  select hash as id, amount from bank_lines
  where ${isUnmatched(tx)} and received_at < ${before}
  order by received_at`;

/** Differing opening balances, or closing balances if both statements cover the whole day. */
const differingStatements = (sql: Sql | Tx, since: Date): PromiseLike<Item[]> => sql<Item[]>`
  select day::text as id, least(9e15, max(off))::bigint as amount from (
    select a.day, greatest(
      abs(a.opening_sen - b.opening_sen),
      case when not a.is_last and not b.is_last then abs(a.closing_sen - b.closing_sen) else 0 end
    ) / 100 as off, a.opening_sen <> b.opening_sen
      or (not a.is_last and not b.is_last and a.closing_sen <> b.closing_sen) as is_off
    from bank_balances a join bank_balances b
      on b.bank = a.bank and b.day = a.day and b.statement_id > a.statement_id
    where a.day >= ${civilDate(since)}::date
  ) compared where is_off group by day order by day`;

/** An opening balance other than the previous closing balance: bank rows are missing or made up. */
const statementGaps = (sql: Sql | Tx, since: Date): PromiseLike<Item[]> => sql<Item[]>`
  select day::text as id, least(9e15, abs(off) / 100)::bigint as amount from (
    select day, opening - lag(closing) over (partition by bank order by day) as off from (
      select bank, day, (array_agg(opening_sen order by statement_id desc))[1] as opening,
        (array_agg(closing_sen order by is_last, statement_id desc))[1] as closing
      from bank_balances
      where opening_sen is not null and day >= ${civilDate(since)}::date
      group by bank, day
    ) days
  ) compared where off <> 0 order by day`;

/**
 * Days whose imported lines exceed the credits of the statement. A statement without balances counts only for days that
 * no other statement covers.
 */
const exceedingLines = (sql: Sql | Tx, since: Date): PromiseLike<Item[]> => sql<Item[]>`
  select lines.day::text as id, least(9e15, lines.amount - days.credits)::bigint as amount
  from (
    select bank, (at at time zone 'Asia/Jakarta')::date as day, sum(amount) as amount
    from bank_lines
    where imported_by is not null and (dismissed_at is null or topup_id is not null)
      and at >= ${since}
    group by 1, 2
  ) lines
  join (
    select bank, day, coalesce(
      max(credits) filter (where opening_sen is not null), max(credits)
    ) as credits
    from bank_balances group by bank, day
  ) days using (bank, day)
  where lines.amount > days.credits order by lines.day`;

async function unverifiedPayments(tx: Tx, since: Date): Promise<Item[]> {
  type Paid = Item & { account_id: string; provider: string; txn: string | null };
  const paid = await tx<Paid[]>`
    select topup_id as id, received as amount, account_id, provider, provider_txn_id as txn
    from topups where status = 'paid' and paid_at >= ${since} order by paid_at`;
  if (paid.length === 0) return [];
  const verified = await tx<{ id: string }[]>`
    select p.topup_id as id from provider_payments p
    join unnest(
      ${paid.map(({ provider }) => provider)}::text[], ${paid.map(({ txn }) => txn)}::text[],
      ${paid.map(({ account_id }) => account_id)}::uuid[], ${paid.map(({ id }) => id)}::uuid[],
      ${paid.map(({ amount }) => amount)}::bigint[]
    ) as t (provider, txn_id, account_id, topup_id, amount)
      using (provider, txn_id, account_id, topup_id, amount)`;
  const known = new Set(verified.map(({ id }) => id));
  return paid.filter(({ id }) => !known.has(id)).map(({ id, amount }) => ({ id, amount }));
}

const AT_ONCE = 8;
const UNANSWERED_MAX = 8;

/**
 * Checks the newest gateway payments at the gateways, except those refunded here or with a settled flag. An unanswered
 * request is a finding and does not stop the comparison. Call it outside a transaction: gateways can be slow.
 */
export async function checkGatewayPayments(
  allAccountsSql: Sql,
  since: Date,
  statusOf: StatusOf,
): Promise<PaymentFinding[]> {
  const paid = await allAccountsSql<(Item & { provider: string })[]>`
    select topup_id as id, received as amount, provider from topups
    where status = 'paid' and provider <> 'bank' and not simulated and paid_at >= ${since}
      and topup_id not in (select topup_id from refunds offset 0)
      and not exists (
        select from gateway_orders o
        where o.account_id = topups.account_id and o.topup_id = topups.topup_id
          and o.settled_at is not null
      )
    order by paid_at desc limit ${CHECKED_MAX}`;
  const differing: Item[] = [];
  const unanswered: (Item & { provider: string })[] = [];
  const isSilent = (provider: string) =>
    unanswered.filter((one) => one.provider === provider).length >= UNANSWERED_MAX;
  const ask = async (payment: (typeof paid)[number]) => {
    const { id, amount, provider } = payment;
    if (isSilent(provider)) return void unanswered.push(payment);
    try {
      const found = await statusOf({ provider, topupId: id });
      if (found?.status !== 'paid' || found.amount !== amount) differing.push({ id, amount });
    } catch (error) {
      if (!(error instanceof GatewayTrouble)) throw error;
      unanswered.push(payment);
    }
  };
  for (let from = 0; from < paid.length; from += AT_ONCE) {
    await Promise.all(paid.slice(from, from + AT_ONCE).map(ask));
  }
  return [
    findingOf('gateway_differs', 'red', differing),
    findingOf('gateway_silent', 'attention', unanswered),
  ].filter(({ count }) => count > 0);
}
