import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/act.ts';
import { publicId } from '#contract/ids.ts';
import { rupiah } from '#contract/money.ts';
import { type EntryKind, type Mutation, listMutations } from '#contract/saldo.ts';
import { type KeptAct, on } from '#server/platform/act.ts';
import { type Sql, type Tx, asAccount } from '#server/platform/database.ts';

/** The acts the ledger keeps: the statement. */
export const ledgerActs = ({ sql }: { sql: Sql }): readonly KeptAct[] => [
  on(listMutations, ({ caller }, input) => statementOf(sql, caller.accountId, input)),
];

/** Entries of one kind are counted, and can be paged, up to here. */
const COUNT_MAX = 10_000;

/** Entries `after + 1` to `last` of a wallet. */
type Range = { after: number; last: number };

/**
 * A page of the account's statement, the newest first unless asked otherwise.
 *
 * Entries are numbered without gaps, so any page is a range of numbers, and the number of entries in
 * a span of days is a difference of two: no page costs more than another, at any length. Entries of
 * one kind are the exception: they are counted up to 10,000.
 */
function statementOf(
  sql: Sql,
  accountId: string,
  query: InputOf<typeof listMutations>,
): Promise<PageOf<Mutation>> {
  const { from, to, kind, sort_type = 'desc' } = query;
  const offset = (query.page ?? 0) * PAGE_SIZE;
  return asAccount(sql, accountId, async (tx) => {
    const range = await rangeOf(tx, accountId, { from, to });
    const asked = { accountId, range, offset, ascending: sort_type === 'asc' };
    if (kind !== undefined) return pageOfKind(tx, { ...asked, kind });
    return { rows: await pageOfAll(tx, asked), total: range.last - range.after };
  });
}

/** The midnight that begins a civil day in WIB. */
const startOf = (day: string): Date => new Date(`${day}T00:00:00+07:00`);

const DAY_MS = 86_400_000;

async function rangeOf(
  tx: Tx,
  accountId: string,
  { from, to }: { from: string | undefined; to: string | undefined },
): Promise<Range> {
  const since = from === undefined ? null : startOf(from);
  const until = to === undefined ? null : new Date(startOf(to).getTime() + DAY_MS);
  const [range] = await tx<Range[]>`
    select
      case when ${since}::timestamptz is null then 0
        else entries_before(${accountId}, ${since}) end as after,
      case when ${until}::timestamptz is null then seq
        else entries_before(${accountId}, ${until}) end as last
    from wallets where account_id = ${accountId}`;
  if (!range) throw new Error('an account without a wallet');
  return { after: range.after, last: Math.max(range.after, range.last) };
}

type Asked = { accountId: string; range: Range; offset: number; ascending: boolean };

type Row = {
  seq: number;
  kind: EntryKind;
  d_available: number;
  d_held: number;
  available_after: number;
  held_after: number;
  n_items: number;
  ref_type: string;
  ref_id: string;
  memo: string | null;
  created_at: Date;
};

async function pageOfAll(tx: Tx, { accountId, range, offset, ascending }: Asked) {
  if (offset >= range.last - range.after) return [];
  const first = ascending ? range.after + offset + 1 : range.last - offset;
  const beyond = ascending ? first + PAGE_SIZE : Math.max(range.after, first - PAGE_SIZE);
  const found = await tx<Row[]>`
    select * from wallet_entries where account_id = ${accountId} and ${
      ascending
        ? tx`seq >= ${first} and seq < ${beyond} and seq <= ${range.last} order by seq asc`
        : tx`seq <= ${first} and seq > ${beyond} order by seq desc`
    }`;
  return found.map(mutationOf);
}

async function pageOfKind(
  tx: Tx,
  { accountId, range, offset, ascending, kind }: Asked & { kind: EntryKind },
): Promise<PageOf<Mutation>> {
  const those = tx`account_id = ${accountId} and kind = ${kind}
    and seq > ${range.after} and seq <= ${range.last}`;
  const [counted] = await tx<{ total: number }[]>`
    select count(*) as total from (
      select from wallet_entries where ${those} limit ${COUNT_MAX}
    ) counted`;
  const total = counted?.total ?? 0;
  if (offset >= total) return { rows: [], total };
  const order = ascending ? tx`asc` : tx`desc`;
  const found = await tx<Row[]>`
    select e.* from (
      select seq from wallet_entries where ${those}
      order by seq ${order} limit ${PAGE_SIZE} offset ${offset}
    ) page
    join wallet_entries e on e.account_id = ${accountId} and e.seq = page.seq
    order by e.seq ${order}`;
  return { rows: found.map(mutationOf), total };
}

const mutationOf = (row: Row): Mutation => ({
  seq: row.seq,
  kind: row.kind,
  amount: rupiah(row.d_available),
  held_amount: rupiah(row.d_held),
  available_after: rupiah(row.available_after),
  held_after: rupiah(row.held_after),
  items: row.n_items,
  memo: row.memo,
  topup_id: row.ref_type === 'topup' ? publicId('topup', row.ref_id) : null,
  created_at: row.created_at,
});
