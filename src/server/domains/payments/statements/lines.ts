import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { TopupStatus } from '#contract/saldo.ts';
import type { BankEntryFilter, OperatorBankEntry } from '#contract/operator/payments.ts';
import { userNames, tiesOf } from '#server/domains/accounts/accounts.ts';
import { NEAR, payWithTwin, txnOf } from '#server/domains/payments/bank.ts';
import {
  type Limits,
  UNKNOWN_OPERATOR,
  givenAlone,
  lockAlone,
  needsTwo,
  provesTo,
} from '#server/domains/payments/topups/four-eyes.ts';
import { statusAt } from '#server/domains/payments/topups/topup.ts';
import { type Fragment, type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import {
  inAccountOf,
  readWhole,
  underLockOfAll,
} from '#server/infra/postgres/distribution/scope.ts';

export type LinesDeps = { allAccountsSql: Sql; now: () => Date };

/** SQL condition: a row of `bank_lines` has no top-up and is not set aside. */
export const isUnmatched = (sql: Sql | Tx): Fragment => sql`
  bank_lines.topup_id is null and bank_lines.dismissed_at is null`;

const CANDIDATES_MAX = 5;
const COUNT_MAX = 10_000;

type Query = {
  filter?: BankEntryFilter | undefined;
  amount?: number | undefined;
  page?: number | undefined;
  sort_type?: 'asc' | 'desc' | undefined;
};

export async function bankLinesForOperator(
  { allAccountsSql: sql, now }: LinesDeps,
  { filter = 'unmatched', amount, page = 0, sort_type }: Query,
): Promise<PageOf<OperatorBankEntry>> {
  const condition = sql`
    ${filter === 'all' ? sql`true` : isUnmatched(sql)}
    ${amount === undefined ? sql`` : sql`and amount = ${amount}`}`;
  const way = sort_type === 'asc' ? sql`asc` : sql`desc`;
  const [found, [counted]] = await Promise.all([
    sql<{ hash: string }[]>`
      select hash from bank_lines where ${condition} order by at ${way}, hash ${way}
      limit ${PAGE_SIZE} offset ${Math.min(page * PAGE_SIZE, COUNT_MAX)}`,
    sql<{ total: number }[]>`
      select count(*) as total from (select 1 from bank_lines where ${condition} limit ${COUNT_MAX}) c`,
  ]);
  const hashes = found.map(({ hash }) => hash);
  return { rows: await readLines(sql, hashes, now()), total: counted?.total ?? 0 };
}

type LineRow = Pick<OperatorBankEntry, 'line' | 'amount' | 'description' | 'reference'> & {
  at: Date;
  received_at: Date;
  topup_id: string | null;
  account_name: string | null;
  dismissed_at: Date | null;
  dismissed_by: string | null;
  dismiss_reason: string | null;
  waits: boolean;
  twin_at: Date | null;
  twin_description: string | null;
};

type Candidate = {
  topup_id: string;
  account_name: string;
  total: number;
  status: TopupStatus;
  created_at: Date;
};

/** Reads lines by their hashes, in the given order. */
async function readLines(
  sql: Sql | Tx,
  hashes: readonly string[],
  at: Date,
): Promise<OperatorBankEntry[]> {
  const rows = await sql<LineRow[]>`
    select l.hash as line, l.amount, l.description, l.reference, l.at, l.received_at, l.topup_id,
      a.name as account_name, l.dismissed_at, l.dismissed_by, l.dismiss_reason,
      l.twin_of is not null and l.both_at is null as waits, twin.at as twin_at,
      twin.description as twin_description
    from bank_lines l left join accounts a on a.account_id = l.account_id
    left join bank_lines twin on twin.hash = l.twin_of
    where l.hash = any(${[...hashes]}::text[])`;
  const byHash = new Map(rows.map((row) => [row.line, row]));
  const second = await sql<{ txn: string }[]>`
    select txn_id as txn from provider_payments
    where provider = 'bank' and txn_id = any(${hashes.map(txnOf)}::text[]) and outcome = 'second'`;
  const known = {
    names: await userNames(
      sql,
      rows.flatMap((row) => row.dismissed_by ?? []),
    ),
    second: new Set(second.map(({ txn }) => txn)),
    candidates: await candidatesFor(sql, hashes, at),
  };
  return hashes.flatMap((hash) => {
    const row = byHash.get(hash);
    return row ? [lineOf(row, known)] : [];
  });
}

type Known = {
  names: ReadonlyMap<string, string>;
  second: ReadonlySet<string>;
  candidates: ReadonlyMap<string, readonly Candidate[]>;
};

async function candidatesFor(
  sql: Sql | Tx,
  hashes: readonly string[],
  at: Date,
): Promise<ReadonlyMap<string, readonly Candidate[]>> {
  const found = await sql<(Candidate & { line: string })[]>`
    select line, topup_id, account_name, total, status, created_at from (
      select l.hash as line, topups.topup_id, accounts.name as account_name, topups.total,
        ${statusAt(sql, at)} as status, topups.created_at,
        row_number() over (
          partition by l.hash order by abs(topups.total - l.amount), topups.created_at
        ) as place
      from bank_lines l
      join topups on topups.total between l.amount - ${NEAR} and l.amount + ${NEAR}
        and topups.bank_number = l.bank and l.at >= topups.created_at - interval '1 day'
      join accounts on accounts.account_id = topups.account_id
      where l.hash = any(${[...hashes]}::text[]) and l.topup_id is null
        and topups.status not in ('paid', 'rejected')
    ) near
    where place <= ${CANDIDATES_MAX} order by line, place`;
  return Map.groupBy(found, ({ line }) => line);
}

function lineOf(row: LineRow, { names, second, candidates }: Known): OperatorBankEntry {
  const { line, amount, description, reference, at, received_at } = row;
  const { topup_id, dismissed_at, dismissed_by } = row;
  const waiting = row.waits ? 'twin' : 'unmatched';
  const unmatched = dismissed_at === null ? waiting : 'dismissed';
  return {
    line,
    amount,
    description,
    reference,
    at,
    received_at,
    twin:
      row.twin_at === null ? null : { at: row.twin_at, description: row.twin_description ?? '' },
    state: topup_id === null ? unmatched : second.has(txnOf(line)) ? 'second' : 'matched',
    topup:
      topup_id === null
        ? null
        : { id: publicId('topup', topup_id), account_name: row.account_name ?? '' },
    dismissed:
      dismissed_at === null || dismissed_by === null
        ? null
        : {
            by: names.get(dismissed_by) ?? UNKNOWN_OPERATOR,
            reason: row.dismiss_reason ?? '',
            at: dismissed_at,
          },
    candidates: (candidates.get(line) ?? []).map(
      ({ topup_id: id, account_name, total, status, created_at }) => ({
        topup_id: publicId('topup', id),
        account_name,
        total,
        status,
        created_at,
      }),
    ),
  };
}

/**
 * Confirms that a line and its twin are two payments: the line then pays. The importer and related operators may
 * confirm only up to the limit of one operator.
 *
 * @throws Refusal `not_found`, `bank_line_used` when it does not wait for a decision, `operator_limit_reached`.
 */
export async function confirmTwins(
  { allAccountsSql: sql, now, config }: LinesDeps & { config: Limits },
  { line, operatorId, reason }: { line: string; operatorId: string; reason: string },
): Promise<OperatorBankEntry> {
  const at = now();
  const ties = await tiesOf(sql, operatorId);
  type Stored = Parameters<typeof payWithTwin>[1] & { imported_by: string | null; waits: boolean };
  const confirm = async (tx: Tx): Promise<void> => {
    await lockAlone(tx, ties);
    const [stored] = await tx<Stored[]>`
      select hash, bank, amount, description, reference, at, imported_by,
        twin_of is not null and both_at is null and topup_id is null
          and dismissed_at is null as waits
      from bank_lines where hash = ${line} for no key update`;
    if (!stored) throw new Refusal('not_found', { what: 'Mutasi bank' });
    if (!stored.waits) throw new Refusal('bank_line_used', {});
    if (!provesTo(ties, stored.imported_by)) {
      const [payee] = await tx<{ id: string }[]>`
        select account_id as id from reserved_transfers
        where bank = ${stored.bank} and amount = ${stored.amount}`;
      const credit = { accountId: payee?.id ?? '', amount: stored.amount };
      const given = await readWhole({ sql, tx }, (from) => givenAlone(from, { ties, at }));
      if (needsTwo(config, credit, given)) throw new Refusal('operator_limit_reached', {});
    }
    await tx`
      update bank_lines set both_at = ${at}, both_by = ${operatorId}, both_reason = ${reason}
      where hash = ${line}`;
    await payWithTwin(tx, stored, at);
  };
  await underLockOfAll(
    sql,
    (tx) => lockAlone(tx, ties),
    () =>
      inAccountOf(
        () => accountOfLine(sql, line),
        () => retrying(() => sql.begin(confirm)),
      ),
  );
  const [read] = await readLines(sql, [line], at);
  if (!read) throw new Error('the bank line was not found');
  return read;
}

async function accountOfLine(sql: Sql, line: string): Promise<string | undefined> {
  const [found] = await sql<{ id: string }[]>`
    select r.account_id as id from bank_lines l
    join reserved_transfers r on r.bank = l.bank and r.amount = l.amount
    where l.hash = ${line} limit 1`;
  return found?.id;
}

/**
 * Sets a line aside; a repeat replaces the reason.
 *
 * @throws Refusal `not_found`, `bank_line_used` when it is the payment of a top-up.
 */
export async function dismissLine(
  { allAccountsSql, now }: LinesDeps,
  { line, operatorId, reason }: { line: string; operatorId: string; reason: string },
): Promise<OperatorBankEntry> {
  const at = now();
  return allAccountsSql.begin(async (tx) => {
    const [found] = await tx<{ used: boolean }[]>`
      select topup_id is not null as used from bank_lines where hash = ${line} for no key update`;
    if (!found) throw new Refusal('not_found', { what: 'Mutasi bank' });
    if (found.used) throw new Refusal('bank_line_used', {});
    await tx`
      update bank_lines set dismissed_at = ${at}, dismissed_by = ${operatorId},
        dismiss_reason = ${reason}
      where hash = ${line}`;
    const [read] = await readLines(tx, [line], at);
    if (!read) throw new Error('the bank line was not found');
    return read;
  });
}
