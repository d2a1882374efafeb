import { createHash } from 'node:crypto';
import type { Sql } from '#server/infra/postgres/database.ts';

/** Which entries of an account a seal has, and their hash. */
export type AccountSeal = { account_id: string; from_seq: number; to_seq: number; digest: string };

const ROWS_AT_ONCE = 2_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** Accounts whose wallet has entries that no seal has, in the order of their ids, with the last sealed one. */
export async function* accountsToSeal(
  sql: Sql,
): AsyncGenerator<{ account_id: string; sealed: number }> {
  let last = FIRST;
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

/** An entry as it is hashed: every column, without a word's worth of room for two readings. */
const entryLine = (sql: Sql) => sql`
  jsonb_build_array(
    seq, kind, d_available, d_held, contra, available_after, held_after, n_items, ref_type, ref_id,
    idem_key, actor, memo, (extract(epoch from created_at) * 1000000)::bigint
  )::text`;

type Range = {
  accountId: string;
  after: number;
  /** Up to the first entry that was made then or later. */
  end?: Date;
  /** Up to this entry. */
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
 * Hashes bookings with their lines, in the order of their ids: those of a seal, or those that no seal
 * has and that were made before `end`.
 */
export async function digestTxns(
  sql: Sql,
  which: { end: Date } | { sealNo: number },
): Promise<{ digest: string; ids: TxnId[] }> {
  const hash = createHash('sha256');
  const ids: TxnId[] = [];
  let last: TxnId = { account_id: FIRST, txn_id: FIRST };
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

/** A booking that is gone still has its place, with nothing in it. */
function pageOfTxns(
  sql: Sql,
  which: { end: Date } | { sealNo: number },
  last: TxnId,
): PromiseLike<TxnLine[]> {
  const chosen =
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
    from (${chosen} order by account_id, txn_id limit ${ROWS_AT_ONCE}) c
    left join gl_txns t using (account_id, txn_id)
    order by c.account_id, c.txn_id`;
}
