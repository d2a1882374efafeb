import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { wibMidnight } from '#contract/base/time.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type MutationMessage,
  MutationKind,
  type Mutation,
  listMutationMessages,
  listMutations,
} from '#contract/saldo.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';

export type StatementDeps = {
  sql: Sql;
  /** The names of peers that the account's pages show, in their order. */
  shownNamesOf: (
    tx: Tx,
    accountId: string,
    peers: readonly { tokenId: string | null; peer: string | null }[],
  ) => Promise<(string | null)[]>;
};

export const ledgerActs = (deps: StatementDeps): readonly ActHandler[] => [
  handle(listMutations, ({ caller }, input) => statementOf(deps, caller.accountId, input)),
  handle(listMutationMessages, ({ caller }, input) =>
    messagesOfLine(deps, caller.accountId, input),
  ),
];

/** Highest number of lines of one kind that are counted and can be paged. */
const COUNT_MAX = 10_000;

type Range = { after: number; last: number };

/**
 * A page of the account's statement, newest first by default.
 * Entries are numbered without gaps, so a span of days is a range of numbers. Captures and releases are not lines of
 * their own. The number of lines up to an entry is read from marks set every 256 entries (advance_statement_cursors),
 * so every page costs the same at any length. Lines of one kind are the exception: they are counted, up to 10,000.
 */
async function statementOf(
  deps: StatementDeps,
  accountId: string,
  query: InputOf<typeof listMutations>,
): Promise<PageOf<Mutation>> {
  const { sql } = deps;
  const { from, to, seq, sort_type = 'desc' } = query;
  const kind = seq === undefined ? query.kind : undefined;
  const offset = (query.page ?? 0) * PAGE_SIZE;
  if (kind === undefined) await markEntries(sql, accountId);
  return asAccount(sql, accountId, async (tx) => {
    const range =
      seq === undefined
        ? await rangeOf(tx, accountId, { from, to })
        : await rangeOfOne(tx, accountId, seq);
    const linesQuery = { accountId, range, offset, ascending: sort_type === 'asc' };
    const { lines, total } = await (kind === undefined
      ? pageOfAll(tx, linesQuery)
      : pageOfKind(tx, { ...linesQuery, kind }));
    return { rows: await mutationsOf(deps, tx, { accountId, lines }), total };
  });
}

async function mutationsOf(
  { shownNamesOf }: StatementDeps,
  tx: Tx,
  { accountId, lines }: { accountId: string; lines: readonly Row[] },
): Promise<Mutation[]> {
  const outcomes = await outcomesOf(tx, accountId, lines);
  const peers = lines.map(({ seq }) => {
    const { token = null, peer = null } = outcomes.get(seq) ?? {};
    return { tokenId: token, peer };
  });
  const names = await shownNamesOf(tx, accountId, peers);
  const invoices = await chargeInvoices(tx, accountId, lines);
  return lines.map((line, at) => ({
    ...mutationOf(line, outcomes.get(line.seq), names[at] ?? null),
    invoice_id: invoiceOf(line, invoices),
  }));
}

export function mutationsBefore(
  deps: StatementDeps,
  accountId: string,
  { before, kind, limit }: { before: number | undefined; kind?: MutationKind; limit: number },
): Promise<Mutation[]> {
  const kinds = kind === undefined ? MutationKind().options : [kind];
  return asAccount(deps.sql, accountId, async (tx) => {
    const lines = await tx<Row[]>`
      with page as (
        select found.seq
        from unnest(${kinds}::text[]) as kinds(kind), lateral (
          select e.seq from wallet_entries e
          where e.account_id = ${accountId} and e.kind = kinds.kind
            and e.seq < ${before ?? Number.MAX_SAFE_INTEGER}
          order by e.seq desc limit ${limit}
        ) found
        order by found.seq desc limit ${limit}
      )
      select e.* from page
      join wallet_entries e on e.account_id = ${accountId} and e.seq = page.seq
      order by e.seq desc`;
    return mutationsOf(deps, tx, { accountId, lines });
  });
}

/** Sets the missing marks in committed steps, so that a failure loses only the last step. */
async function markEntries(sql: Sql, accountId: string): Promise<void> {
  let isMore = true;
  while (isMore) {
    isMore = await asAccount(sql, accountId, async (tx) => {
      const [marked] = await tx<
        { more: boolean }[]
      >`select advance_statement_cursors(${accountId}) as more`;
      return marked?.more ?? false;
    });
  }
}

const DAY_MS = 86_400_000;

async function rangeOf(
  tx: Tx,
  accountId: string,
  { from, to }: { from: string | undefined; to: string | undefined },
): Promise<Range> {
  const since = from === undefined ? null : wibMidnight(from);
  const until = to === undefined ? null : new Date(wibMidnight(to).getTime() + DAY_MS);
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

async function rangeOfOne(tx: Tx, accountId: string, seq: number): Promise<Range> {
  const [wallet] = await tx<{ last: number }[]>`
    select seq as last from wallets where account_id = ${accountId}`;
  const last = Math.min(seq, wallet?.last ?? 0);
  return { after: Math.min(seq - 1, last), last };
}

type LinesQuery = { accountId: string; range: Range; offset: number; ascending: boolean };

type Row = {
  seq: number;
  kind: MutationKind;
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

async function pageOfAll(tx: Tx, linesQuery: LinesQuery): Promise<Lines> {
  const { accountId, range, offset, ascending } = linesQuery;
  const [lines] = await tx<{ before: number; upto: number }[]>`
    select count_statement_lines(${accountId}, ${range.after}) as before,
      count_statement_lines(${accountId}, ${range.last}) as upto`;
  const { before = 0, upto = 0 } = lines ?? {};
  const total = upto - before;
  if (offset >= total) return { lines: [], total };
  const first = ascending ? before + offset + 1 : upto - offset;
  const order = ascending ? tx`asc` : tx`desc`;
  const found = await tx<Row[]>`
    with start as materialized (select entry_of_statement_line(${accountId}, ${first}) as seq),
    page as (
      select found.seq
      from start, unnest(${MutationKind().options}::text[]) as kinds(kind), lateral (
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

async function pageOfKind(tx: Tx, linesQuery: LinesQuery & { kind: MutationKind }): Promise<Lines> {
  const { accountId, range, offset, ascending, kind } = linesQuery;
  const matches = tx`account_id = ${accountId} and kind = ${kind}
    and seq > ${range.after} and seq <= ${range.last}`;
  const [counted] = await tx<{ total: number }[]>`
    select count(*) as total from (
      select from wallet_entries where ${matches} limit ${COUNT_MAX}
    ) counted`;
  const total = counted?.total ?? 0;
  if (offset >= total) return { lines: [], total };
  const order = ascending ? tx`asc` : tx`desc`;
  const found = await tx<Row[]>`
    select e.* from (
      select seq from wallet_entries where ${matches}
      order by seq ${order} limit ${PAGE_SIZE} offset ${offset}
    ) page
    join wallet_entries e on e.account_id = ${accountId} and e.seq = page.seq
    order by e.seq ${order}`;
  return { lines: found, total };
}

/**
 * Outcome of the messages of a hold, or of the message of a correction. A released message may have been charged, or
 * waived, later. `message`, `token` and `peer` are set if there is only one message.
 */
type Outcome = {
  line: number;
  captured_n: number;
  captured: number;
  released_n: number;
  released: number;
  corrected_n: number;
  waived_n: number;
  held_n: number;
  after: number | null;
  message: string | null;
  token: string | null;
  peer: string | null;
};

const standsForMessages = ({ kind }: Pick<Row, 'kind'>): boolean =>
  kind === 'hold' || kind === 'correction';

async function outcomesOf(
  tx: Tx,
  accountId: string,
  lines: readonly Row[],
): Promise<ReadonlyMap<number, Outcome>> {
  const of = (kind: MutationKind) =>
    lines.filter((line) => line.kind === kind).map(({ seq }) => seq);
  const [holds, corrections] = [of('hold'), of('correction')];
  if (holds.length + corrections.length === 0) return new Map();
  const found = await tx<Outcome[]>`
    select l.seq as line,
      count(*) filter (where m.kind = 'capture') as captured_n,
      coalesce(sum(m.price) filter (where m.kind = 'capture'), 0)::bigint as captured,
      count(*) filter (where m.kind = 'release') as released_n,
      coalesce(sum(m.price) filter (where m.kind = 'release'), 0)::bigint as released,
      count(*) filter (where m.correct_seq is not null) as corrected_n,
      count(*) filter (where m.charge_state = 'waived') as waived_n,
      count(*) filter (where m.message_id is not null and m.kind is null) as held_n,
      (array_agg(m.available_after order by m.settle_seq desc) filter (where m.kind = 'release'))[1] as after,
      case when count(*) = 1 then (array_agg(m.message_id))[1] end as message,
      case when count(*) = 1 then (array_agg(m.token_id))[1] end as token,
      case when count(*) = 1 then (array_agg(m.peer))[1] end as peer
    from (
      select unnest(${holds}::bigint[]) as seq, true as is_hold
      union all
      select unnest(${corrections}::bigint[]), false
    ) l
    left join lateral (
      select x.message_id, x.token_id, x.peer, x.price, x.charge_state, x.settle_seq, x.correct_seq, e.kind,
        e.available_after
      from messages x
      left join wallet_entries e on e.account_id = ${accountId} and e.seq = x.settle_seq
      where x.account_id = ${accountId} and x.hold_seq = l.seq and l.is_hold
      union all
      select x.message_id, x.token_id, x.peer, x.price, null, null, null, null, null from messages x
      where x.account_id = ${accountId} and x.correct_seq = l.seq and not l.is_hold
    ) m on true
    group by l.seq`;
  return new Map(found.map((one) => [one.line, one]));
}

async function chargeInvoices(
  tx: Tx,
  accountId: string,
  lines: readonly Row[],
): Promise<ReadonlyMap<string, string>> {
  const charges = lines.flatMap(({ ref_type, ref_id }) =>
    ref_type === 'charge' && isUuid(ref_id) ? ref_id : [],
  );
  if (charges.length === 0) return new Map();
  const found = await tx<{ charge_id: string; invoice_id: string }[]>`
    select subject_id as charge_id, invoice_id from invoices
    where account_id = ${accountId} and subject_type = 'charge'
      and subject_id = any(${charges}::uuid[])`;
  return new Map(found.map(({ charge_id, invoice_id }) => [charge_id, invoice_id]));
}

function invoiceOf(row: Row, invoices: ReadonlyMap<string, string>): string | null {
  const invoice = row.ref_type === 'charge' ? invoices.get(row.ref_id) : undefined;
  return invoice === undefined ? refOf(row, 'invoice') : publicId('invoice', invoice);
}

function mutationOf(
  row: Row,
  outcome: Outcome | undefined,
  name: string | null,
): Omit<Mutation, 'invoice_id'> {
  const { released: returned = 0, captured: paid = 0 } = outcome ?? {};
  return {
    seq: row.seq,
    kind: row.kind,
    amount: rupiah(row.d_available + returned),
    held_amount: rupiah(row.d_held - returned - paid),
    available_after: rupiah(outcome?.after ?? row.available_after),
    held_after: rupiah(row.held_after),
    items: row.n_items,
    outcome:
      outcome && row.kind === 'hold'
        ? {
            captured: outcome.captured_n,
            released: outcome.released_n,
            corrected: outcome.corrected_n,
            waived: outcome.waived_n,
            held: outcome.held_n,
            returned: rupiah(returned),
            available_when_held: rupiah(row.available_after),
          }
        : null,
    message:
      outcome?.message && outcome.peer
        ? { id: publicId('message', outcome.message), peer: outcome.peer, peer_name: name }
        : null,
    memo: row.memo,
    topup_id: refOf(row, 'topup'),
    created_at: row.created_at,
  };
}

const refOf = ({ ref_type, ref_id }: Row, kind: 'topup' | 'invoice'): string | null =>
  ref_type === kind && isUuid(ref_id) ? publicId(kind, ref_id) : null;

/** References are free text; those of tests and of old entries may be anything. */
const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

type StoredMessage = {
  message: string;
  token: string;
  peer: string;
  price: number;
  charge: 'held' | 'captured' | 'released' | 'waived';
  at: Date | null;
  available_after: number | null;
  corrected_at: Date | null;
  corrected_after: number | null;
};

/**
 * A page of the messages of a hold or a correction, in the order of acceptance, each with the entries that settled and
 * corrected it.
 *
 * @throws Refusal `not_found` when the account has no such line, or it has no messages.
 */
function messagesOfLine(
  { sql, shownNamesOf }: StatementDeps,
  accountId: string,
  { seq, page = 0 }: InputOf<typeof listMutationMessages>,
): Promise<PageOf<MutationMessage>> {
  return asAccount(sql, accountId, async (tx) => {
    const [[line], found] = await Promise.all([
      tx<Pick<Row, 'kind' | 'n_items'>[]>`
        select kind, n_items from wallet_entries
        where account_id = ${accountId} and seq = ${seq}`,
      tx<StoredMessage[]>`
        select x.message_id as message, x.token_id as token, x.peer, x.price, x.charge_state as charge, e.created_at as at,
          e.available_after, c.created_at as corrected_at, c.available_after as corrected_after
        from (
          select * from messages h where h.account_id = ${accountId} and h.hold_seq = ${seq}
          union all
          select * from messages k where k.account_id = ${accountId} and k.correct_seq = ${seq}
        ) x
        left join wallet_entries e on e.account_id = ${accountId} and e.seq = x.settle_seq
        left join wallet_entries c on c.account_id = ${accountId} and c.seq = x.correct_seq
        order by x.message_id offset ${page * PAGE_SIZE} limit ${PAGE_SIZE}`,
    ]);
    if (!line || !standsForMessages(line)) throw new Refusal('not_found', { what: 'Mutasi' });
    const peers = found.map(({ token: tokenId, peer }) => ({ tokenId, peer }));
    const names = await shownNamesOf(tx, accountId, peers);
    return {
      rows: found.map((stored, at) => lineMessage(stored, names[at] ?? null)),
      total: line.n_items,
    };
  });
}

const lineMessage = (stored: StoredMessage, name: string | null): MutationMessage => ({
  message_id: publicId('message', stored.message),
  peer: stored.peer,
  peer_name: name,
  price: rupiah(stored.price),
  state: stored.corrected_at === null ? stored.charge : 'corrected',
  settled_at: stored.at,
  available_after: rupiahOrNull(stored.available_after),
  corrected_at: stored.corrected_at,
  corrected_after: rupiahOrNull(stored.corrected_after),
});

const rupiahOrNull = (amount: number | null) => (amount === null ? null : rupiah(amount));
