import type { Notice, QueueNotice } from '#server/infra/notices.ts';
import type { PaymentsDeps } from '#server/domains/payments/deps.ts';
import { rupiah, formatRupiah } from '#contract/base/money.ts';
import { type SaldoAlert, getSaldoAlert, saveSaldoAlert } from '#contract/saldo.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import {
  type Sql,
  type Tx,
  asAccount,
  type Fragment,
  isTransient,
} from '#server/infra/postgres/database.ts';
import { createHash } from 'node:crypto';
import { type PersonsPhone, phonesOf } from '#server/domains/accounts/accounts.ts';

type Stored = { threshold: number | null; fired_at: Date | null };

export const alertActs = ({ sql }: Pick<PaymentsDeps, 'sql'>): readonly ActHandler[] => [
  handle(getSaldoAlert, ({ caller: { accountId } }) =>
    asAccount(sql, accountId, (tx) => alertOf(tx, accountId)),
  ),
  handle(saveSaldoAlert, ({ caller: { accountId } }, { threshold }) =>
    asAccount(sql, accountId, (tx) => saveAlert(tx, accountId, threshold ?? null)),
  ),
];

export async function alertOf(tx: Tx, accountId: string): Promise<SaldoAlert> {
  const [stored] = await tx<Stored[]>`
    select threshold, fired_at from saldo_alerts where account_id = ${accountId}`;
  return shown(stored);
}

/**
 * Sets the threshold, or turns the alert off (null). A saldo already below it fires at its next fall below it. The time
 * of the last alert is preserved, so that changing the threshold does not cause two alerts within six hours.
 */
export async function saveAlert(
  tx: Tx,
  accountId: string,
  threshold: number | null,
): Promise<SaldoAlert> {
  const { available } = await walletOf(tx, accountId);
  const isArmed = threshold !== null && available >= threshold;
  const [stored] = await tx<Stored[]>`
    insert into saldo_alerts (account_id, threshold, armed)
    values (${accountId}, ${threshold}, ${isArmed})
    on conflict (account_id) do update
      set threshold = excluded.threshold,
        -- The same again changes nothing: a fall that is not told yet still is.
        armed = case when saldo_alerts.threshold = excluded.threshold then saldo_alerts.armed
          else excluded.armed end
    returning threshold, fired_at`;
  return shown(stored);
}

const shown = (stored: Stored | undefined): SaldoAlert => ({
  threshold: stored && stored.threshold !== null ? rupiah(stored.threshold) : null,
  fired_at: stored?.fired_at ?? null,
});

const GATHER_MS = 5_000;
/** Finds events that a failed process missed, and alerts that were too early. */
const SWEEP_MS = 60_000;
const HOURS_BETWEEN_MIN = 6;
const LEASE_SECONDS = 60;
const TRIES_MAX = 20;
const MESSAGES_AT_ONCE = 20;

type LowSaldo = { accountId: string; threshold: number; available: number };

export type AlertDeps = {
  allAccountsSql: Sql;
  queueNotice: QueueNotice;
  announceLow: (tx: Tx, low: LowSaldo) => Promise<void>;
  /** Sends a text to a phone; the same key sends it once. */
  sendSystemText: (phone: string, text: string, key: string) => Promise<void>;
  onFired?: () => void;
  report: (error: unknown) => void;
  now: () => Date;
};

export type AlertWatch = {
  add: (accountIds: Iterable<string>) => void;
  check: () => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Watches the saldo of accounts with an alert. Any number of processes may watch: the one that updates an alert's row
 * fires it. Accepting a message costs nothing extra; every five seconds one statement checks the accounts with new
 * events.
 */
export function startAlertWatch(deps: AlertDeps): AlertWatch {
  const changed = new Set<string>();
  let working: Promise<void> | undefined;
  let sweptAt = -Infinity;
  const look = async (everybody: boolean) => {
    const isSweep = everybody || performance.now() - sweptAt > SWEEP_MS;
    const accountIds = [...changed];
    changed.clear();
    if (isSweep || accountIds.length > 0) {
      await checkAlerts(deps, isSweep ? undefined : accountIds);
      if (isSweep) sweptAt = performance.now();
    }
    await sendAlertMessages(deps);
  };
  const run = (everybody = false): Promise<void> => {
    working ??= look(everybody)
      .catch((error: unknown) => {
        // Makes the next run a sweep, which finds the accounts that this one missed.
        sweptAt = -Infinity;
        if (!isTransient(error)) deps.report(error);
      })
      .finally(() => (working = undefined));
    return working;
  };
  const timer = setInterval(() => void run(), GATHER_MS);
  return {
    add: (accountIds) => {
      for (const accountId of accountIds) changed.add(accountId);
    },
    check: async () => {
      await working;
      await run(true);
    },
    close: async () => {
      clearInterval(timer);
      await working;
    },
  };
}

type Fired = { account_id: string; threshold: number; available: number };

/**
 * Fires the alerts of accounts whose saldo fell below the threshold, and rearms those whose saldo is above 1.2 times
 * the threshold (docs/money.md#low-saldo). An alert fires once, together with its notice and message in one
 * transaction, even if several processes check at the same time.
 *
 * @param accountIds all if absent.
 * @returns how many fired.
 */
export async function checkAlerts(
  deps: AlertDeps,
  accountIds?: readonly string[],
): Promise<number> {
  const { allAccountsSql } = deps;
  const found = await allAccountsSql<{ account_id: string; is_low: boolean }[]>`
    select a.account_id, a.armed as is_low
    from saldo_alerts a join wallets w on w.account_id = a.account_id
    where a.threshold is not null and ${ofAccounts(allAccountsSql, accountIds)}
      and case when a.armed then ${isDue(allAccountsSql, deps.now())}
        else ${isWellAbove(allAccountsSql)} end`;
  const idsWhere = (isLow: boolean) =>
    found.filter(({ is_low }) => is_low === isLow).map(({ account_id }) => account_id);
  const [low, recovered] = [idsWhere(true), idsWhere(false)];
  if (recovered.length > 0) {
    await allAccountsSql`
      update saldo_alerts a set armed = true from wallets w
      where a.account_id = any(${recovered}::uuid[]) and w.account_id = a.account_id
        and not a.armed and ${isWellAbove(allAccountsSql)}`;
  }
  return low.length === 0 ? 0 : fire(deps, low);
}

async function fire(
  { allAccountsSql, queueNotice, announceLow, onFired, now }: AlertDeps,
  accountIds: readonly string[],
): Promise<number> {
  const at = now();
  const fired = await allAccountsSql.begin(async (tx) => {
    const rows = await tx<Fired[]>`
      with fired as (
        update saldo_alerts a set armed = false, fired = a.fired + 1, fired_at = ${at}
        from wallets w
        where a.account_id = any(${accountIds}::uuid[]) and w.account_id = a.account_id
          and a.armed and ${isDue(tx, at)}
        returning a.account_id, a.fired as number, a.threshold, w.available
      ), told as (
        insert into saldo_alert_messages (account_id, number, threshold, available, at, retry_at)
        select account_id, number, threshold, available, ${at}, ${at} from fired
      )
      select account_id, threshold, available from fired`;
    for (const row of rows) {
      await queueNotice(tx, noticeOf(row));
      const { account_id: accountId, threshold, available } = row;
      await announceLow(tx, { accountId, threshold, available });
    }
    return rows.length;
  });
  if (fired > 0) onFired?.();
  return fired;
}

const ofAccounts = (sql: Sql | Tx, accountIds: readonly string[] | undefined): Fragment =>
  accountIds === undefined ? sql`true` : sql`a.account_id = any(${accountIds}::uuid[])`;

/** SQL condition: armed alert `a` has a saldo `w` below its threshold, and its last alert is old enough. */
const isDue = (sql: Sql | Tx, now: Date): Fragment => sql`
  w.available < a.threshold and w.status <> 'closed'
    and (a.fired_at is null or a.fired_at <= ${now}::timestamptz - make_interval(hours => ${HOURS_BETWEEN_MIN}))`;

/** SQL condition: saldo `w` is above 1.2 times the threshold of `a`, in whole rupiah. */
const isWellAbove = (sql: Sql | Tx): Fragment => sql`5 * w.available > 6 * a.threshold`;

const noticeOf = ({ account_id, threshold, available }: Fired): Notice => ({
  accountId: account_id,
  title: 'Saldo hampir habis',
  body: `Tersisa ${formatRupiah(available)}, di bawah batas ${formatRupiah(threshold)} yang Anda atur.`,
  url: '/saldo',
  tag: 'saldo-rendah',
});

type Waiting = Fired & { number: number; tries: number };

/**
 * Claims each message, then sends it under its own key: a crash neither loses nor repeats it. Gives up after 20 tries.
 */
async function sendAlertMessages(deps: AlertDeps): Promise<void> {
  const { allAccountsSql, now } = deps;
  for (;;) {
    const at = now();
    const claimed = await allAccountsSql<Waiting[]>`
      update saldo_alert_messages m
      set tries = tries + 1, retry_at = ${at}::timestamptz + make_interval(secs => ${LEASE_SECONDS})
      where (account_id, number) in (
        select account_id, number from saldo_alert_messages
        where retry_at <= ${at} order by retry_at limit ${MESSAGES_AT_ONCE} for update skip locked
      )
      returning account_id, number, threshold, available, tries`;
    if (claimed.length === 0) return;
    const people = await phonesOf(
      allAccountsSql,
      claimed.map(({ account_id }) => account_id),
    );
    for (const message of claimed) {
      const to = people.filter(({ accountId }) => accountId === message.account_id);
      await sendOne(deps, message, to).catch(deps.report);
    }
  }
}

async function sendOne(
  deps: AlertDeps,
  message: Waiting,
  people: readonly PersonsPhone[],
): Promise<void> {
  try {
    for (const person of people) await sendText(deps, message, person);
  } catch (error) {
    if (message.tries < TRIES_MAX) throw error;
    deps.report(error);
  }
  await deps.allAccountsSql`
    delete from saldo_alert_messages
    where account_id = ${message.account_id} and number = ${message.number}`;
}

const sendText = (
  { sendSystemText }: AlertDeps,
  { account_id, number, threshold, available }: Waiting,
  { userId, phone }: PersonsPhone,
): Promise<void> =>
  sendSystemText(
    phone,
    `Saldo Kabari Anda tersisa ${formatRupiah(available)}, di bawah batas ` +
      `${formatRupiah(threshold)} yang Anda atur. Isi saldo di halaman Saldo supaya pesan tetap ` +
      'terkirim. Batas ini dapat diubah atau dimatikan di halaman yang sama.',
    keyOf([account_id, number, userId]),
  );

/** Hashed, because the key outlives an erased account and must not identify it. */
const keyOf = (facts: readonly (string | number)[]): string =>
  `saldo-alert:${createHash('sha256').update(facts.join(':')).digest('base64url')}`;
