import { type Rupiah, rupiah } from '#contract/base/money.ts';
import type { EntryKind } from '#contract/saldo.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/**
 * Freezes a wallet, or lets it go on. What was accepted before is still sent and settled.
 *
 * @returns whether anything changed; `undefined` when the account has ended.
 */
export async function setWalletFrozen(
  tx: Tx,
  accountId: string,
  isFrozen: boolean,
): Promise<boolean | undefined> {
  const [answer] = await tx<{ changed: boolean | null }[]>`
    select set_wallet_frozen(${accountId}, ${isFrozen}) as changed`;
  return answer?.changed ?? undefined;
}

/** What was charged for a message; 0 for one that was not, or that the account has not. */
export async function capturedPrice(
  sql: Sql | Tx,
  accountId: string,
  messageId: string,
): Promise<Rupiah> {
  const [found] = await sql<{ price: number }[]>`
    select price from messages
    where account_id = ${accountId} and message_id = ${messageId} and charge_state = 'captured'`;
  return rupiah(found?.price ?? 0);
}

/**
 * What was charged for the messages that were accepted from an instant to before another, and for how many:
 * prices that are held or captured. What was free, or given back, is not among them.
 */
export async function chargedMessages(
  tx: Tx,
  accountId: string,
  { from, before }: { from: Date; before: Date },
): Promise<{ count: number; amount: Rupiah }> {
  const [found] = await tx<{ count: number; amount: number }[]>`
    select count(*) as count, coalesce(sum(price), 0)::bigint as amount from messages
    where account_id = ${accountId} and hold_seq is not null
      and message_id >= uuid_floor(${from}) and message_id < uuid_floor(${before})
      and charge_state in ('held', 'captured')`;
  return { count: found?.count ?? 0, amount: rupiah(found?.amount ?? 0) };
}

export type RecentEntry = {
  seq: number;
  kind: EntryKind;
  amount: Rupiah;
  available_after: Rupiah;
  memo: string | null;
  at: Date;
};

const RECENT_MAX = 10;

/** The newest entries of a wallet that are no steps of a hold, newest first. */
export async function recentEntries(
  allAccountsSql: Sql,
  accountId: string,
): Promise<RecentEntry[]> {
  const found = await allAccountsSql<RecentEntry[]>`
    select e.seq, e.kind, e.d_available as amount, e.available_after, e.memo, e.created_at as at
    from unnest(array['hold', 'correction', 'topup', 'bonus', 'plan', 'refund', 'payout', 'adjust'])
      as kinds(kind),
    lateral (
      select * from wallet_entries e
      where e.account_id = ${accountId} and e.kind = kinds.kind order by e.seq desc limit ${RECENT_MAX}
    ) e
    order by e.seq desc limit ${RECENT_MAX}`;
  return [...found];
}

/** What all customers may still use: available and held. */
export async function totalSaldo(
  allAccountsSql: Sql | Tx,
): Promise<{ float: Rupiah; held: Rupiah }> {
  const [sums] = await allAccountsSql<{ float: number; held: number }[]>`
    select coalesce(sum(available + held), 0)::bigint as float, coalesce(sum(held), 0)::bigint as held
    from wallets`;
  return { float: rupiah(sums?.float ?? 0), held: rupiah(sums?.held ?? 0) };
}

/** What a reconciliation asks of the ledger: amounts that should be nothing, with examples. */
export type Off = { count: number; amount: Rupiah; examples: readonly string[] };

const EXAMPLES_MAX = 10;

/** Accounts whose clearing is not 0. */
export async function openClearing(allAccountsSql: Sql | Tx): Promise<Off> {
  const found = await allAccountsSql<{ account_id: string; off: number }[]>`
    select account_id, sum(amount)::bigint as off from gl_all where gl_account = 'clearing'
    group by account_id having sum(amount) <> 0`;
  return {
    count: found.length,
    amount: rupiah(found.reduce((sum, { off }) => sum + Math.abs(off), 0)),
    examples: found.slice(0, EXAMPLES_MAX).map(({ account_id }) => account_id),
  };
}

/**
 * Messages whose price has been held for more than a day: no outcome of them is known. Those that were
 * scheduled are counted from when they were to leave, which is when they can expire.
 *
 * @param before held since before then.
 */
export async function oldHolds(allAccountsSql: Sql | Tx, before: Date): Promise<Off> {
  const [sums] = await allAccountsSql<{ n: number; amount: number; examples: string[] }[]>`
    select count(*) as n, coalesce(sum(m.price), 0)::bigint as amount,
      coalesce((array_agg(m.message_id order by m.message_id))[1:${EXAMPLES_MAX}], '{}')::text[]
        as examples
    from wallets w
    join messages m on m.account_id = w.account_id
    where w.held > 0 and m.charge_state = 'held' and m.price > 0 and m.created_at < ${before}
      and (m.expires_at is null or m.expires_at < ${before})`;
  return {
    count: sums?.n ?? 0,
    amount: rupiah(sums?.amount ?? 0),
    examples: sums?.examples ?? [],
  };
}
