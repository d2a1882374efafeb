import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { createHash } from 'node:crypto';
import { appendToSealFile, readSealFile } from '#server/infra/seal-file.ts';
import { civilDate, wibMidnight } from '#contract/base/time.ts';
import type { Seal } from '#contract/operator/books.ts';
import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';

/** The first day that differs from its seal, and the reason. */
export type SealDifference = { day: string; why: string };
export type SealVerification = { seals: number; difference: SealDifference | undefined };

type Options = {
  /** The data folder, whose file has the same seals. Left out: they are not compared. */
  folder?: string | undefined;
  newestOnly?: boolean;
};

type StoredSeal = {
  seal_no: number;
  day: string;
  previous: string;
  hash: string;
  gl_digest: string;
};

const SEALS_AT_ONCE = 500;
const ACCOUNTS_AT_ONCE = 2_000;

/**
 * Hashes sealed entries and bookings again, seal by seal, and stops at the first difference: an entry or a booking that
 * was changed, removed, or added among sealed ones; a seal that was changed or removed, also one that only the file
 * still has. Reads a page at a time.
 */
export async function verifySeals(
  allAccountsSql: Sql,
  { folder, newestOnly = false }: Options = {},
): Promise<SealVerification> {
  const filed = folder === undefined ? new Map<number, FiledSeal>() : await readSeals(folder);
  let before: StoredSeal | undefined;
  let seals = 0;
  for await (const seal of storedSeals(allAccountsSql, newestOnly)) {
    const why =
      linkDifference(seal, newestOnly ? undefined : (before ?? null), filed) ??
      (await contentDifference(allAccountsSql, seal));
    if (why !== undefined) return { seals, difference: { day: seal.day, why } };
    before = seal;
    seals += 1;
  }
  const gone = [...filed].find(([number]) => number > (before?.seal_no ?? 0));
  const difference = gone && { day: gone[1].day, why: 'this seal is only in the file' };
  return { seals, difference };
}

async function* storedSeals(sql: Sql, newestOnly: boolean): AsyncGenerator<StoredSeal> {
  let last = 0;
  if (newestOnly) {
    yield* await sql<StoredSeal[]>`
      select seal_no, day, previous, hash, gl_digest from ledger_seals
      order by seal_no desc limit 1`;
    return;
  }
  for (;;) {
    const page: StoredSeal[] = await sql<StoredSeal[]>`
      select seal_no, day, previous, hash, gl_digest from ledger_seals where seal_no > ${last}
      order by seal_no limit ${SEALS_AT_ONCE}`;
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < SEALS_AT_ONCE) return;
    last = end.seal_no;
  }
}

/**
 * Compares a seal with its predecessor and the file. `before` is null for the first seal, and undefined if the
 * predecessor was not read.
 */
function linkDifference(
  seal: StoredSeal,
  before: StoredSeal | null | undefined,
  filed: ReadonlyMap<number, FiledSeal>,
): string | undefined {
  if (before !== undefined) {
    if (seal.seal_no !== (before?.seal_no ?? 0) + 1) return 'a seal before it is gone';
    if (seal.previous !== (before?.hash ?? '0'.repeat(64)))
      return 'it does not follow the seal before';
  }
  const line = filed.get(seal.seal_no);
  if (line && line.hash !== seal.hash) return 'the file has another hash';
  return undefined;
}

async function contentDifference(sql: Sql, seal: StoredSeal): Promise<string | undefined> {
  const chain = sealHash({ number: seal.seal_no, day: seal.day, previous: seal.previous });
  for await (const account of accountsOf(sql, seal.seal_no)) {
    const { toSeq, digest } = await digestEntries(sql, {
      accountId: account.account_id,
      after: account.from_seq - 1,
      upto: account.to_seq,
    });
    if (toSeq !== account.to_seq || digest !== account.digest) {
      return `entries ${account.from_seq} to ${account.to_seq} of the account ${account.account_id} differ`;
    }
    chain.add(account);
  }
  const bookings = await digestTxns(sql, { sealNo: seal.seal_no });
  if (bookings.digest !== seal.gl_digest) return 'bookings of the general ledger differ';
  return chain.end(bookings.digest) === seal.hash ? undefined : 'the seal itself differs';
}

async function* accountsOf(sql: Sql, sealNo: number): AsyncGenerator<AccountSeal> {
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const page: AccountSeal[] = await sql<AccountSeal[]>`
      select account_id, from_seq, to_seq, digest from ledger_seal_accounts
      where seal_no = ${sealNo} and account_id > ${last}::uuid
      order by account_id limit ${ACCOUNTS_AT_ONCE}`;
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < ACCOUNTS_AT_ONCE) return;
    last = end.account_id;
  }
}

export type AccountSeal = { account_id: string; from_seq: number; to_seq: number; digest: string };

const ROWS_AT_ONCE = 2_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Accounts with entries that no seal contains, ordered by id, with the last sealed entry. */
export async function* accountsToSeal(
  sql: Sql,
): AsyncGenerator<{ account_id: string; sealed: number }> {
  let last = FIRST_ID;
  for (;;) {
    const page: { account_id: string; sealed: number }[] = await sql<
      { account_id: string; sealed: number }[]
    >`
      select w.account_id, coalesce(s.to_seq, 0) as sealed
      from wallets w left join lateral (
        select to_seq from ledger_seal_accounts s where s.account_id = w.account_id
        order by seal_no desc limit 1
      ) s on true
      where w.account_id > ${last}::uuid and w.seq > coalesce(s.to_seq, 0)
      order by w.account_id limit ${ROWS_AT_ONCE}`;
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < ROWS_AT_ONCE) return;
    last = end.account_id;
  }
}

/** Hash input of an entry: every column, in an unambiguous encoding. */
const entryLine = (sql: Sql) => sql`
  jsonb_build_array(
    seq, kind, d_available, d_held, contra, available_after, held_after, n_items, ref_type, ref_id,
    idem_key, actor, memo, (extract(epoch from created_at) * 1000000)::bigint
  )::text`;

type Range = {
  accountId: string;
  after: number;
  /** Stops before the first entry made at this instant or later. */
  end?: Date;
  /** The last entry, included. */
  upto?: number;
};

/** Hashes entries of one account in their order, a page at a time. */
export async function digestEntries(
  sql: Sql,
  { accountId, after, end, upto }: Range,
): Promise<{ toSeq: number; digest: string }> {
  const hash = createHash('sha256');
  let toSeq = after;
  for (;;) {
    const page = await sql<{ seq: number; line: string; is_after: boolean }[]>`
      select seq, ${entryLine(sql)} as line,
        ${end ?? null}::timestamptz is not null and created_at >= ${end ?? null}::timestamptz
          as is_after
      from wallet_entries
      where account_id = ${accountId} and seq > ${toSeq}
        and (${upto ?? null}::bigint is null or seq <= ${upto ?? null}::bigint)
      order by seq limit ${ROWS_AT_ONCE}`;
    for (const { seq, line, is_after } of page) {
      if (is_after) return { toSeq, digest: hash.digest('hex') };
      hash.update(`${line}\n`);
      toSeq = seq;
    }
    if (page.length < ROWS_AT_ONCE) return { toSeq, digest: hash.digest('hex') };
  }
}

type TxnId = { account_id: string; txn_id: string };
type TxnLine = TxnId & { line: string };

/**
 * Hashes bookings with their lines, ordered by id: those of a seal, or unsealed ones made before `end`.
 */
export async function digestTxns(
  sql: Sql,
  which: { end: Date } | { sealNo: number },
): Promise<{ digest: string; ids: TxnId[] }> {
  const hash = createHash('sha256');
  const ids: TxnId[] = [];
  let last: TxnId = { account_id: FIRST_ID, txn_id: FIRST_ID };
  for (;;) {
    const page = await pageOfTxns(sql, which, last);
    for (const { account_id, txn_id, line } of page) {
      hash.update(`${line}\n`);
      ids.push({ account_id, txn_id });
    }
    const end = page.at(-1);
    if (!end || page.length < ROWS_AT_ONCE) return { digest: hash.digest('hex'), ids };
    last = end;
  }
}

/** A removed booking keeps its place, with empty content. */
function pageOfTxns(
  sql: Sql,
  which: { end: Date } | { sealNo: number },
  last: TxnId,
): PromiseLike<TxnLine[]> {
  const pageIds =
    'sealNo' in which
      ? sql`
        select account_id, txn_id from ledger_seal_txns
        where seal_no = ${which.sealNo}
          and (account_id, txn_id) > (${last.account_id}::uuid, ${last.txn_id}::uuid)`
      : sql`
        select t.account_id, t.txn_id from gl_txns t
        left join ledger_seal_txns s using (account_id, txn_id)
        where s.seal_no is null and t.at < ${which.end}
          and (t.account_id, t.txn_id) > (${last.account_id}::uuid, ${last.txn_id}::uuid)`;
  return sql<TxnLine[]>`
    select c.account_id, c.txn_id, jsonb_build_array(
        c.account_id, c.txn_id, t.idem_key, t.kind, (extract(epoch from t.at) * 1000000)::bigint, (
          select jsonb_agg(jsonb_build_array(l.line_no, l.gl_account, l.amount) order by l.line_no)
          from gl_lines l where l.account_id = c.account_id and l.txn_id = c.txn_id
        )
      )::text as line
    from (${pageIds} order by account_id, txn_id limit ${ROWS_AT_ONCE}) c
    left join gl_txns t using (account_id, txn_id)
    order by c.account_id, c.txn_id`;
}

type FiledSeal = { day: string; hash: string };

/**
 * The seals of a data folder's file; empty when there is none. A line that a crash cut off is ignored.
 */
async function readSeals(folder: string): Promise<Map<number, FiledSeal>> {
  const seals = new Map<number, FiledSeal>();
  for (const line of (await readSealFile(folder)).split('\n')) {
    const found = /^(\d+) (\d{4}-\d{2}-\d{2}) ([0-9a-f]{64}) /.exec(line);
    if (!found) continue;
    const [, number, day = '', hash = ''] = found;
    // The first line of a number counts: lines are only appended.
    if (!seals.has(Number(number))) seals.set(Number(number), { day, hash });
  }
  return seals;
}

/** Appends only the seals after the file's newest, so that no old line is rewritten. */
export async function appendSeals(folder: string, allAccountsSql: Sql): Promise<void> {
  const known = Math.max(0, ...(await readSeals(folder)).keys());
  const missing = await allAccountsSql<
    { seal_no: number; day: string; hash: string; created_at: Date }[]
  >`
    select seal_no, day, hash, created_at from ledger_seals where seal_no > ${known}
    order by seal_no`;
  await appendToSealFile(
    folder,
    missing.map(
      ({ seal_no, day, hash, created_at }) =>
        `${seal_no} ${day} ${hash} ${created_at.toISOString()}`,
    ),
  );
}

type Deps = {
  allAccountsSql: Sql;
  now: () => Date;
  /** The data folder, whose file of seals gets the new ones. */
  folder: string;
};

const DAY_MS = 86_400_000;
const INITIAL_HASH = '0'.repeat(64);

const dayBefore = (at: Date): string => civilDate(new Date(at.getTime() - DAY_MS));
const nextDay = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
const endOf = (day: string): Date => new Date(wibMidnight(day).getTime() + DAY_MS);

/**
 * Seals every unsealed day up to yesterday, and appends the seals to the file.
 * The content of a seal does not depend on clocks. Of a wallet it contains the entries after the last sealed one, up to
 * the first that was made after the day: entries are committed in the order of their numbers, so none can appear among
 * those later. Bookings have no number: each is in the first seal after its commit. Anything committed late, with an
 * instant of a sealed day, is in the next seal (docs/money.md#the-money-desk).
 *
 * @returns the seals made now.
 */
export async function sealDays({ allAccountsSql, now, folder }: Deps): Promise<Seal[]> {
  const made: Seal[] = [];
  const last = dayBefore(now());
  let before = await lastSeal(allAccountsSql);
  for (let day = before ? nextDay(before.day) : last; day <= last; day = nextDay(day)) {
    before = await sealDay(allAccountsSql, { day, before, at: now() });
    made.push(before);
  }
  await appendSeals(folder, allAccountsSql);
  return made;
}

/** The newest seal; `undefined` before the first. */
export async function lastSeal(sql: Sql | Tx): Promise<Seal | undefined> {
  const [found] = await sql<Seal[]>`
    select seal_no as number, day, hash, entries, bookings, created_at as at
    from ledger_seals order by seal_no desc limit 1`;
  return found;
}

type Day = { day: string; before: Seal | undefined; at: Date };

async function sealDay(sql: Sql, { day, before, at }: Day): Promise<Seal> {
  const end = endOf(day);
  const number = (before?.number ?? 0) + 1;
  const previous = before?.hash ?? INITIAL_HASH;
  const chain = sealHash({ number, day, previous });
  const accounts: AccountSeal[] = [];
  let entries = 0;
  for await (const { account_id, sealed } of accountsToSeal(sql)) {
    const part = await digestEntries(sql, { accountId: account_id, after: sealed, end });
    if (part.toSeq === sealed) continue;
    const account = {
      account_id,
      from_seq: sealed + 1,
      to_seq: part.toSeq,
      digest: part.digest,
    };
    accounts.push(account);
    chain.add(account);
    entries += part.toSeq - sealed;
  }
  const bookings = await digestTxns(sql, { end });
  const hash = chain.end(bookings.digest);
  await sql.begin(async (tx) => {
    await tx`
      insert into ledger_seals (
        seal_no, day, previous, hash, entries, bookings, gl_digest, created_at
      ) values (
        ${number}, ${day}, ${previous}, ${hash}, ${entries}, ${bookings.ids.length},
        ${bookings.digest}, ${at}
      )`;
    await storeAccounts(tx, number, accounts);
    await storeTxns(tx, number, bookings.ids);
  });
  return { number, day, hash, entries, bookings: bookings.ids.length, at };
}

function sealHash({ number, day, previous }: { number: number; day: string; previous: string }) {
  const hash = createHash('sha256').update(`${previous}\n${number}\n${day}\n`);
  return {
    /** Call in the order of account ids. */
    add: ({ account_id, from_seq, to_seq, digest }: AccountSeal) =>
      void hash.update(`${account_id} ${from_seq} ${to_seq} ${digest}\n`),
    end: (glDigest: string): string => hash.update(`gl ${glDigest}\n`).digest('hex'),
  };
}

async function storeAccounts(
  tx: Tx,
  number: number,
  accounts: readonly AccountSeal[],
): Promise<void> {
  for (const some of inParts(accounts)) {
    await tx`
      insert into ledger_seal_accounts (account_id, seal_no, from_seq, to_seq, digest)
      select account_id, ${number}, from_seq, to_seq, digest from unnest(
        ${some.map((one) => one.account_id)}::uuid[], ${some.map((one) => one.from_seq)}::bigint[],
        ${some.map((one) => one.to_seq)}::bigint[], ${some.map((one) => one.digest)}::text[]
      ) as a(account_id, from_seq, to_seq, digest)`;
  }
}

async function storeTxns(
  tx: Tx,
  number: number,
  ids: readonly { account_id: string; txn_id: string }[],
): Promise<void> {
  for (const some of inParts(ids)) {
    await tx`
      insert into ledger_seal_txns (account_id, txn_id, seal_no)
      select account_id, txn_id, ${number} from unnest(
        ${some.map((one) => one.account_id)}::uuid[], ${some.map((one) => one.txn_id)}::uuid[]
      ) as t(account_id, txn_id)`;
  }
}

function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += ROWS_AT_ONCE) {
    yield all.slice(from, from + ROWS_AT_ONCE);
  }
}

/** A page of the seals, newest first. */
export async function sealsPage(
  allAccountsSql: Sql,
  { page = 0 }: { page?: number | undefined },
): Promise<PageOf<Seal>> {
  const [found, [counted]] = await Promise.all([
    allAccountsSql<Seal[]>`
      select seal_no as number, day, hash, entries, bookings, created_at as at
      from ledger_seals order by seal_no desc limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
    allAccountsSql<{ total: number }[]>`
      select coalesce(max(seal_no), 0) as total from ledger_seals`,
  ]);
  return { rows: found, total: counted?.total ?? 0 };
}
