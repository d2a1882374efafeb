import { type Rupiah, rupiah } from '#contract/base/money.ts';
import type { EntryKind } from '#contract/saldo.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/**
 * Freezes or unfreezes a wallet. Messages accepted before are still sent and settled.
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

/** Price captured for a message; 0 for a free one, or one the account does not have. */
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
 * Sum and number of the prices held or captured for messages accepted in a period (end exclusive). Free messages and
 * released prices do not count.
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

/** The newest entries of a wallet, newest first, without the steps of a hold. */
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

export async function totalSaldo(
  allAccountsSql: Sql | Tx,
): Promise<{ float: Rupiah; held: Rupiah }> {
  const [sums] = await allAccountsSql<{ float: number; held: number }[]>`
    select coalesce(sum(available + held), 0)::bigint as float, coalesce(sum(held), 0)::bigint as held
    from wallets`;
  return { float: rupiah(sums?.float ?? 0), held: rupiah(sums?.held ?? 0) };
}

/** A figure of the reconciliation that should be 0, with examples. */
export type Discrepancy = { count: number; amount: Rupiah; examples: readonly string[] };

const EXAMPLES_MAX = 10;

export async function openClearing(allAccountsSql: Sql | Tx): Promise<Discrepancy> {
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
 * Messages whose price has been held for more than a day without an outcome. Scheduled messages count from their
 * scheduled time, which is when they can expire.
 *
 * @param before held since before then.
 */
export async function oldHolds(allAccountsSql: Sql | Tx, before: Date): Promise<Discrepancy> {
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
