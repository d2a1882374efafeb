import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/act.ts';
import { publicId } from '#contract/ids.ts';
import { rupiah } from '#contract/money.ts';
import { Refusal } from '#contract/refusals.ts';
import {
  type LineMessage,
  LineKind,
  type Mutation,
  listLineMessages,
  listMutations,
} from '#contract/saldo.ts';
import { type KeptAct, on } from '#server/platform/act.ts';
import { type Sql, type Tx, asAccount } from '#server/platform/database.ts';

/** The acts the ledger keeps: the statement. */
export const ledgerActs = ({ sql }: { sql: Sql }): readonly KeptAct[] => [
  on(listMutations, ({ caller }, input) => statementOf(sql, caller.accountId, input)),
  on(listLineMessages, ({ caller }, input) => messagesOfLine(sql, caller.accountId, input)),
];

/** Lines of one kind are counted, and can be paged, up to here. */
const COUNT_MAX = 10_000;

/** Entries `after + 1` to `last` of a wallet. */
type Range = { after: number; last: number };

/**
 * A page of the account's statement, the newest first unless asked otherwise.
 *
 * Entries are numbered without gaps, so a span of days is a range of numbers. Captures and releases are
 * no lines of their own; how many lines there are up to an entry is read from marks that are set every
 * 256 entries (0021), so no page costs more than another, at any length. Lines of one kind are the
 * exception: they are counted up to 10,000.
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
    const { lines, total } = await (kind === undefined
      ? pageOfAll(tx, asked)
      : pageOfKind(tx, { ...asked, kind }));
    const outcomes = await outcomesOf(tx, accountId, lines);
    return { rows: lines.map((line) => mutationOf(line, outcomes.get(line.seq))), total };
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
  kind: LineKind;
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

type Lines = { lines: readonly Row[]; total: number };

async function pageOfAll(tx: Tx, asked: Asked): Promise<Lines> {
  const { accountId, range, offset, ascending } = asked;
  await tx`select mark_statement(${accountId})`;
  const [lines] = await tx<{ before: number; upto: number }[]>`
    select lines_upto(${accountId}, ${range.after}) as before,
      lines_upto(${accountId}, ${range.last}) as upto`;
  const { before = 0, upto = 0 } = lines ?? {};
  const total = upto - before;
  if (offset >= total) return { lines: [], total };
  const first = ascending ? before + offset + 1 : upto - offset;
  const order = ascending ? tx`asc` : tx`desc`;
  const found = await tx<Row[]>`
    with start as materialized (select line_entry(${accountId}, ${first}) as seq),
    page as (
      select found.seq
      from start, unnest(${LineKind.options}::text[]) as kinds(kind), lateral (
        select e.seq from wallet_entries e
        where e.account_id = ${accountId} and e.kind = kinds.kind and ${
          ascending ? tx`e.seq >= start.seq` : tx`e.seq <= start.seq`
        }
          and e.seq > ${range.after} and e.seq <= ${range.last}
        order by e.seq ${order} limit ${PAGE_SIZE}
      ) found
      order by found.seq ${order} limit ${PAGE_SIZE}
    )
    select e.* from page
    join wallet_entries e on e.account_id = ${accountId} and e.seq = page.seq
    order by e.seq ${order}`;
  return { lines: found, total };
}

async function pageOfKind(tx: Tx, asked: Asked & { kind: LineKind }): Promise<Lines> {
  const { accountId, range, offset, ascending, kind } = asked;
  const those = tx`account_id = ${accountId} and kind = ${kind}
    and seq > ${range.after} and seq <= ${range.last}`;
  const [counted] = await tx<{ total: number }[]>`
    select count(*) as total from (
      select from wallet_entries where ${those} limit ${COUNT_MAX}
    ) counted`;
  const total = counted?.total ?? 0;
  if (offset >= total) return { lines: [], total };
  const order = ascending ? tx`asc` : tx`desc`;
  const found = await tx<Row[]>`
    select e.* from (
      select seq from wallet_entries where ${those}
      order by seq ${order} limit ${PAGE_SIZE} offset ${offset}
    ) page
    join wallet_entries e on e.account_id = ${accountId} and e.seq = page.seq
    order by e.seq ${order}`;
  return { lines: found, total };
}

/** What became of a hold, as `hold_outcomes` (0021) tells. */
type Outcome = {
  o_hold: number;
  o_captured_n: number;
  o_captured: number;
  o_released_n: number;
  o_released: number;
  o_held_n: number;
  o_held: number;
  o_message: string | null;
  o_peer: string | null;
};

async function outcomesOf(
  tx: Tx,
  accountId: string,
  lines: readonly Row[],
): Promise<ReadonlyMap<number, Outcome>> {
  const holds = lines.filter(({ kind }) => kind === 'hold').map(({ seq }) => seq);
  if (holds.length === 0) return new Map();
  const found = await tx<Outcome[]>`
    select * from hold_outcomes(${accountId}, ${holds}::bigint[])`;
  return new Map(found.map((one) => [one.o_hold, one]));
}

function mutationOf(row: Row, outcome: Outcome | undefined): Mutation {
  const { o_released: returned = 0, o_captured: paid = 0 } = outcome ?? {};
  return {
    seq: row.seq,
    kind: row.kind,
    amount: rupiah(row.d_available + returned),
    held_amount: rupiah(row.d_held - returned - paid),
    available_after: rupiah(row.available_after),
    held_after: rupiah(row.held_after),
    items: row.n_items,
    outcome: outcome
      ? {
          captured: outcome.o_captured_n,
          released: outcome.o_released_n,
          held: outcome.o_held_n,
          returned: rupiah(returned),
        }
      : null,
    message:
      outcome?.o_message && outcome.o_peer
        ? { id: publicId('message', outcome.o_message), peer: outcome.o_peer }
        : null,
    memo: row.memo,
    topup_id: row.ref_type === 'topup' ? publicId('topup', row.ref_id) : null,
    created_at: row.created_at,
  };
}

type StoredMessage = {
  o_message: string;
  o_peer: string;
  o_price: number;
  o_kind: string | null;
  o_at: Date | null;
  o_available_after: number | null;
};

/**
 * A page of the messages that a hold was for.
 *
 * @throws Refusal `not_found` when the account has no such line, or it stands for no messages.
 */
function messagesOfLine(
  sql: Sql,
  accountId: string,
  { seq, page = 0 }: InputOf<typeof listLineMessages>,
): Promise<PageOf<LineMessage>> {
  return asAccount(sql, accountId, async (tx) => {
    const [[hold], found] = await Promise.all([
      tx<{ n_items: number }[]>`
        select n_items from wallet_entries
        where account_id = ${accountId} and seq = ${seq} and kind = 'hold'`,
      tx<StoredMessage[]>`
        select * from hold_messages(${accountId}, ${seq}, ${page * PAGE_SIZE}, ${PAGE_SIZE})`,
    ]);
    if (!hold) throw new Refusal('not_found', { what: 'Mutasi' });
    return { rows: found.map(lineMessage), total: hold.n_items };
  });
}

const lineMessage = (stored: StoredMessage): LineMessage => ({
  message_id: publicId('message', stored.o_message),
  peer: stored.o_peer,
  price: rupiah(stored.o_price),
  state: stored.o_kind === null ? 'held' : stored.o_kind === 'capture' ? 'captured' : 'released',
  settled_at: stored.o_at,
  available_after: stored.o_available_after === null ? null : rupiah(stored.o_available_after),
});
