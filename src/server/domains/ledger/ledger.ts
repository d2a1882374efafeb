import { type Rupiah, rupiah } from '#contract/base/money.ts';
import type { EntryKind, Mutation } from '#contract/saldo.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { type AccountData, type Row, atOnce, inPages } from '#server/infra/account-data.ts';
import { performance } from 'node:perf_hooks';
import type { LedgerCheck } from '#contract/operator/books.ts';
import { newId } from '#server/infra/ids.ts';
import { exclusiveSnapshot } from '#server/infra/postgres/alone.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { checkLedgerIn } from './check.ts';
import { mutationsBefore, type StatementDeps } from './statement.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import type { ApiMutation } from '#contract/rest/account.ts';
import { API_LIMITS } from '#contract/rest/endpoint.ts';
import type { ApiHandlers, ApiToken } from '#server/infra/endpoints.ts';

type Deps = {
  allAccountsSql: Sql;
  now: () => Date;
  /** Pool to read the books from, if not `allAccountsSql`, which stores the result. */
  readSql?: Sql;
};

const EXAMPLES_MAX = 5;
/** Advisory lock of the check; an arbitrary number, the same on every node. */
const CHECK_LOCK = 7_206_312;

/**
 * Checks all invariants in one read-only snapshot, and stores the result; one check at a time, on all nodes. While the
 * newest result is red, no payout is made (docs/money.md#the-money-desk).
 *
 * @throws Refusal `check_running`.
 */
export async function storeCheck({
  allAccountsSql,
  now,
  readSql = allAccountsSql,
}: Deps): Promise<LedgerCheck> {
  const startedAt = performance.now();
  const found = await exclusiveSnapshot(readSql, CHECK_LOCK, checkLedgerIn);
  const findings = found.map(({ invariant, description, ok, offenders }) => ({
    invariant,
    description,
    ok,
    broken: offenders.length,
    examples: offenders.slice(0, EXAMPLES_MAX).map((row) => JSON.stringify(row)),
  }));
  const check = {
    at: now(),
    ok: findings.every(({ ok }) => ok),
    millis: Math.round(performance.now() - startedAt),
    findings,
  };
  await allAccountsSql`
      insert into ledger_checks (check_id, at, is_ok, findings, millis)
      values (${newId()}, ${check.at}, ${check.ok}, ${json(findings)}, ${check.millis})`;
  return check;
}

export async function lastCheck(allAccountsSql: Sql | Tx): Promise<LedgerCheck | undefined> {
  const [found] = await allAccountsSql<LedgerCheck[]>`
    select at, is_ok as ok, findings, millis from ledger_checks order by check_id desc limit 1`;
  return found;
}

/**
 * An account's saldo and its mutations. They are never erased: tax law requires keeping the ledger, and after
 * pseudonymization it identifies no person.
 */
export const ledgerAccountData = ({ sql }: { sql: Sql }): AccountData => ({
  subjects: (accountId) => [
    {
      name: 'saldo',
      rows: () =>
        atOnce(() =>
          asAccount(
            sql,
            accountId,
            (tx) => tx<Row[]>`
              select available, held, status from wallets where account_id = ${accountId}`,
          ),
        ),
    },
    {
      name: 'mutasi',
      about: async () => {
        const [wallet] = await asAccount(
          sql,
          accountId,
          (tx) => tx<{ seq: number }[]>`select seq from wallets where account_id = ${accountId}`,
        );
        return wallet?.seq ?? 0;
      },
      rows: () => mutationsOf(sql, accountId),
    },
  ],
});

type EntryRow = Row & { seq: number };

const mutationsOf = (sql: Sql, accountId: string) =>
  inPages<EntryRow>(
    { sql, accountId },
    (tx, last, limit) => tx<EntryRow[]>`
      select seq, kind, d_available as amount, d_held as held_amount, available_after, held_after,
        n_items as items, ref_type, ref_id, memo, created_at
      from wallet_entries where account_id = ${accountId} and seq > ${last?.seq ?? 0}
      order by seq limit ${limit}`,
  );

/** Opens the account's empty wallet; repeating it changes nothing. */
export async function openWallet(tx: Tx, accountId: string): Promise<void> {
  await tx`select open_wallet(${accountId})`;
}

/**
 * Sets whether an account's saldo is the welcome bonus alone: it then pays for the simulator and the account's own
 * number only (docs/money.md#bonus). A first top-up clears it.
 */
export async function restrictToBonus(tx: Tx, accountId: string, on: boolean): Promise<void> {
  await tx`select set_bonus_only(${accountId}, ${on})`;
}

export type Entry = {
  accountId: string;
  kind: EntryKind;
  /** Change of the available saldo; negative subtracts. */
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
  /** Price of the next message by the account's plan; null without a plan: the list price. */
  planPrice: Rupiah | null;
  /** Price of a message by the plan once its quota is used up; null without a plan. */
  beyondQuotaPrice: Rupiah | null;
  /** Messages that the plan includes in its period, and how many of them are used. */
  planQuota: number;
  planUsed: number;
  /** True while the saldo is the welcome bonus alone (docs/money.md#bonus). */
  isBonusOnly: boolean;
};

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
 * The available saldo and the wallet's status, locked until the transaction ends: a charge of at most this much cannot
 * fail.
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

export type PlanAllowance = {
  accountId: string;
  quota: number;
  price: Rupiah | null;
  /** True when the used quota stays used, as when the plan changes within its period. */
  keepUsed: boolean;
};

/** Sets the plan allowances of any number of accounts, each once, from the next message on. */
export async function setPlanAllowances(tx: Tx, all: readonly PlanAllowance[]): Promise<void> {
  if (all.length === 0) return;
  // Sorted by account, so that two calls on the same wallets cannot deadlock.
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

/** Plan charges since an instant, by the day of WIB (`YYYY-MM-DD`). */
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
export { sealsPage, lastSeal, sealDays, verifySeals } from './seals.ts';
export { ledgerActs } from './statement.ts';

/** The endpoints of saldo and its statement, the newest rows first. */
export const ledgerEndpoints = (deps: StatementDeps) =>
  ({
    getBalance: async ({ sender: { accountId } }: { sender: ApiToken }) => {
      const { available, held } = await asAccount(deps.sql, accountId, (tx) =>
        walletOf(tx, accountId),
      );
      return { available: rupiah(available), held: rupiah(held) };
    },
    listMutations: async ({ sender, query: { cursor: before, kind, limit = API_LIMITS.page } }) => {
      const page = { before, limit: limit + 1, ...(kind && { kind }) };
      const found = await mutationsBefore(deps, sender.accountId, page);
      const data = found.slice(0, limit).map(apiMutationOf);
      return { data, next_cursor: found.length > limit ? (data.at(-1)?.seq ?? null) : null };
    },
  }) satisfies ApiHandlers<'getBalance' | 'listMutations'>;

const apiMutationOf = (line: Mutation): ApiMutation => ({
  seq: line.seq,
  kind: line.kind,
  amount: line.amount,
  held: line.held_amount,
  available_after: line.available_after,
  messages: line.kind === 'hold' || line.kind === 'correction' ? line.items : 0,
  message: line.message && {
    id: line.message.id,
    peer: shownPeer(line.message.peer),
    name: line.message.peer_name,
  },
  memo: line.memo,
  topup: line.topup_id,
  invoice: line.invoice_id,
  created_at: line.created_at,
});

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

type RecentEntry = {
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

const OFFENDERS_MAX = 10;

export async function openClearing(allAccountsSql: Sql | Tx): Promise<Discrepancy> {
  const found = await allAccountsSql<{ account_id: string; off: number }[]>`
    select account_id, sum(amount)::bigint as off from gl_all where gl_account = 'clearing'
    group by account_id having sum(amount) <> 0`;
  return {
    count: found.length,
    amount: rupiah(found.reduce((sum, { off }) => sum + Math.abs(off), 0)),
    examples: found.slice(0, OFFENDERS_MAX).map(({ account_id }) => account_id),
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
      coalesce((array_agg(m.message_id order by m.message_id))[1:${OFFENDERS_MAX}], '{}')::text[]
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
