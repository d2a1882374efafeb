import { type Rupiah, rupiah } from '#contract/base/money.ts';
import type { EntryKind } from '#contract/saldo.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** Opens the account's wallet, empty; a second time changes nothing. */
export async function openWallet(tx: Tx, accountId: string): Promise<void> {
  await tx`select open_wallet(${accountId})`;
}

/**
 * Says whether an account's saldo is the welcome bonus alone: it then pays for the simulator and the
 * account's own number only (docs/money.md#bonus). A first top-up ends it by itself.
 */
export async function restrictToBonus(tx: Tx, accountId: string, on: boolean): Promise<void> {
  await tx`select set_bonus_only(${accountId}, ${on})`;
}

export type Entry = {
  accountId: string;
  kind: EntryKind;
  /** What is added to the available saldo; negative subtracts. */
  delta: Rupiah;
  /** The general-ledger account on the other side. */
  contra: string;
  refType: string;
  refId: string;
  /** Repeating it with the same facts changes nothing. */
  idemKey: string;
  actor: string;
  memo?: string;
};

/**
 * One entry that is not a batch of messages. Call it in the transaction of its cause.
 *
 * @returns `applied: false` when this `idemKey` had been posted before, with the same facts.
 * @throws PostgresError `WA002` when the key was used with other facts (our bug), and a violation of
 *   `saldo_not_negative` when the saldo is too small.
 */
export async function postEntry(
  tx: Tx,
  entry: Entry,
): Promise<{ seq: number; applied: boolean; available: Rupiah }> {
  const [posted] = await tx<{ o_seq: number; o_applied: boolean; o_available: number }[]>`
    select * from post_entry(
      ${entry.accountId}, ${entry.kind}, ${entry.delta}, ${entry.contra}, ${entry.refType},
      ${entry.refId}, ${entry.idemKey}, ${entry.actor}, ${entry.memo ?? null}
    )`;
  if (!posted) throw new Error('post_entry returned no row');
  return { seq: posted.o_seq, applied: posted.o_applied, available: rupiah(posted.o_available) };
}

export type Wallet = {
  available: Rupiah;
  held: Rupiah;
  seq: number;
  status: 'active' | 'frozen' | 'closed';
  /** What the next message costs by the account's plan; null without one: the list price. */
  planPrice: Rupiah | null;
  /** What a message costs by the plan once its quota is used up; null without one. */
  beyondQuotaPrice: Rupiah | null;
  /** Messages that the plan includes in its period, and how many of them are used. */
  planQuota: number;
  planUsed: number;
  /** True while the saldo is the welcome bonus alone (docs/money.md#bonus). */
  isBonusOnly: boolean;
};

/** The account's wallet as it stands. */
export async function walletOf(sql: Sql | Tx, accountId: string): Promise<Wallet> {
  type Row = Pick<Wallet, 'seq' | 'status'> & {
    available: number;
    held: number;
    plan_quota: number;
    plan_used: number;
    plan_price: number | null;
    beyond_quota: number | null;
    bonus_only: boolean;
  };
  const [wallet] = await sql<Row[]>`
    select available, held, seq, status, bonus_only, plan_quota, plan_used,
      plan_price as beyond_quota, case when plan_price is not null and plan_used < plan_quota then 0 else plan_price end
        as plan_price
    from wallets where account_id = ${accountId}`;
  if (!wallet) throw new Error('an account without a wallet');
  const { seq, status, plan_price: planPrice, bonus_only: isBonusOnly } = wallet;
  const { beyond_quota: beyond } = wallet;
  return {
    available: rupiah(wallet.available),
    held: rupiah(wallet.held),
    seq,
    status,
    planQuota: wallet.plan_quota,
    planUsed: wallet.plan_used,
    planPrice: planPrice === null ? null : rupiah(planPrice),
    beyondQuotaPrice: beyond === null ? null : rupiah(beyond),
    isBonusOnly,
  };
}

/**
 * What may be spent, and the wallet's status, locked until the transaction ends: a charge of as much
 * cannot fail.
 */
export async function lockWallet(
  tx: Tx,
  accountId: string,
): Promise<Pick<Wallet, 'available' | 'status'> & { isBonusOnly: boolean }> {
  type Locked = { o_available: number; o_status: Wallet['status']; o_bonus_only: boolean };
  const [wallet] = await tx<Locked[]>`select * from lock_wallet(${accountId})`;
  if (!wallet) throw new Error('an account without a wallet');
  const { o_available: available, o_status: status, o_bonus_only: isBonusOnly } = wallet;
  return { available: rupiah(available), status, isBonusOnly };
}

/** What a plan includes for an account's messages. */
export type PlanAllowance = {
  accountId: string;
  /** Messages included. */
  quota: number;
  /** What a message beyond them costs; null: the list price. */
  price: Rupiah | null;
  /** True when what was used stays used, as when the plan changes within its period. */
  keepUsed: boolean;
};

/** Sets what plans include, from the next message on, of any number of accounts, each once. */
export async function setPlanAllowances(tx: Tx, all: readonly PlanAllowance[]): Promise<void> {
  if (all.length === 0) return;
  // By account, so that two that lock the same wallets do not wait for each other.
  const sorted = all.toSorted((one, other) => (one.accountId < other.accountId ? -1 : 1));
  await tx`
    select set_plan_allowance(a.account, a.quota, a.price, a.keep)
    from unnest(
      ${sorted.map((one) => one.accountId)}::uuid[], ${sorted.map((one) => one.quota)}::int[],
      ${sorted.map((one) => one.price)}::bigint[],
      ${sorted.map((one) => one.keepUsed)}::boolean[]
    ) with ordinality as a(account, quota, price, keep, place)
    order by a.place`;
}

/** What plans cost since an instant, by the day of WIB (`YYYY-MM-DD`) they were charged on. */
export async function planChargesByDay(
  tx: Tx,
  accountId: string,
  since: Date,
): Promise<ReadonlyMap<string, Rupiah>> {
  const days = await tx<{ day: string; amount: number }[]>`
    select to_char(created_at at time zone 'Asia/Jakarta', 'YYYY-MM-DD') as day,
      (-sum(d_available))::bigint as amount
    from wallet_entries
    where account_id = ${accountId} and kind = 'plan' and created_at >= ${since}
      and seq > entries_before(${accountId}, ${since})
    group by 1`;
  return new Map(days.map(({ day, amount }) => [day, rupiah(amount)]));
}

export { BATCHER_LIMITS, WalletBatcher } from './batcher.ts';
export { type Finding, checkLedger } from './check.ts';
export {
  type Off,
  capturedPrice,
  chargedMessages,
  oldHolds,
  openClearing,
  recentEntries,
  setWalletFrozen,
  totalSaldo,
} from './desk.ts';
export { lastCheck, storeCheck } from './stored-checks.ts';
export { sealsPage, lastSeal, sealDays, verifySeals } from './seals.ts';
export { ledgerAccountData } from './account-data.ts';
export { ledgerActs, mutationsBefore } from './statement.ts';
