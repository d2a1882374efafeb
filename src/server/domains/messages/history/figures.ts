import type { MessageRow, MessageStatus } from '#contract/messages.ts';
import { countedStatuses, figuresOf } from '#contract/messages/counts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { civilDate } from '#contract/base/time.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { countsByHour, countsBySpan } from './counts.ts';
import {
  pageOf,
  readAsAccount,
  dayStartMs,
  daysAfter,
} from '#server/domains/messages/history/pages.ts';
import { messageRow, readMessages, failureOf } from '#server/domains/messages/history/rows.ts';
import { idFloor } from '#contract/base/ids.ts';
import type { SystemToken } from '#contract/operator/settings.ts';
import { rupiah } from '#contract/base/money.ts';
import {
  PACE_DAYS,
  PACE_DAYS_MIN,
  type Pace,
  type SaldoUsage,
  USAGE_DAYS,
  type UsageDay,
  saldoUsage,
} from '#contract/saldo.ts';
import { planChargesByDay } from '#server/domains/ledger/ledger.ts';
import { handle } from '#server/infra/acts.ts';

/**
 * One message as a row of the history. @throws Refusal `not_found` when the account has no such message.
 */
export async function readMessageRow(
  tx: Tx,
  { accountId, messageId }: { accountId: string; messageId: string },
): Promise<MessageRow> {
  const ids = tx`select ${messageId}::uuid as message_id`;
  const [found] = await readMessages(tx, { accountId, ids, order: 'newest' });
  if (!found) throw new Refusal('not_found', { what: 'Pesan' });
  return messageRow(found);
}

const HOUR_MS = 3_600_000;

export const countFailed = (sql: Sql, accountId: string, since: Date): Promise<number> =>
  asAccount(sql, accountId, async (tx) => {
    const from = new Date(Math.floor(since.getTime() / HOUR_MS) * HOUR_MS);
    const before = tx`'infinity'`;
    const [found] = await tx<{ failed: number }[]>`
      select coalesce(sum(messages), 0)::bigint as failed
      from ${countsByHour(tx, { accountId, from, before })} c
      where status = 'failed' and direction = 'out'`;
    return found?.failed ?? 0;
  });

/** The newest failed messages of an account since an instant's day, found by the counts. */
export const newestFailed = (
  sql: Sql,
  accountId: string,
  { since, limit }: { since: Date; limit: number },
): Promise<MessageRow[]> =>
  readAsAccount(sql, accountId, async (tx) => {
    const filter = { from: civilDate(since), statuses: ['failed'], direction: 'out' } as const;
    const { stored } = await pageOf(tx, { accountId, filter, order: 'newest', offset: 0, limit });
    return stored.map(messageRow);
  });

type SystemFigures = Pick<SystemToken, 'today' | 'failures' | 'last'>;

const LAST = 10;
const DAY_MS = 86_400_000;

export function systemFigures(
  sql: Sql,
  { accountId, tokenId }: { accountId: string; tokenId: string },
  now: Date,
): Promise<SystemFigures> {
  const today = civilDate(now);
  const tomorrow = civilDate(new Date(now.getTime() + DAY_MS));
  return asAccount(sql, accountId, async (tx) => {
    const counts = await tx<{ status: MessageStatus; n: number }[]>`
      select status, sum(messages)::bigint as n
      from ${countsBySpan(tx, 'day', { accountId, from: today, before: tomorrow })} c
      where direction = 'out' and token_id = ${tokenId} group by status`;
    const reasons = await tx<{ failure: string | null; count: number }[]>`
      select failure, count(*)::int as count from messages
      where account_id = ${accountId} and token_id = ${tokenId} and status = 'failed'
        and message_id >= ${idFloor(now.getTime() - DAY_MS)}
      group by failure order by count desc, failure`;
    const last = await tx<Last[]>`
      select peer as to, status, failure, created_at as at from messages
      where account_id = ${accountId} and token_id = ${tokenId} and direction = 'out'
      order by message_id desc limit ${LAST}`;
    const { scheduled, waiting, sent, delivered, read, failed, expired } = figuresOf(
      Object.fromEntries(counts.map(({ status, n }) => [status, n])),
    );
    return {
      today: { waiting: scheduled + waiting, sent, delivered, read, failed, expired },
      failures: reasons.map(({ failure, count }) => ({ failure: failureOf({ failure }), count })),
      last: last.map((one) => ({ ...one, failure: failureOf(one) })),
    };
  });
}

type Last = { to: string; status: MessageStatus; failure: string | null; at: Date };

export const usageHandler = ({ sql, now }: { sql: Sql; now: () => Date }) =>
  handle(saldoUsage, ({ caller }) => usageOf(sql, caller.accountId, now()));

/** Statuses without a result yet: their price is held. */
const waiting = [...countedStatuses.scheduled, ...countedStatuses.waiting];

/**
 * Cost of the account's messages in the last 30 days of WIB, including today, by the day of acceptance; and cost of
 * plans, by the day of the charge. Read from the counts, never from the messages.
 */
export function usageOf(sql: Sql, accountId: string, now: Date): Promise<SaldoUsage> {
  const today = civilDate(now);
  const first = daysAfter(today, 1 - USAGE_DAYS);
  return readAsAccount(sql, accountId, async (tx) => {
    const [costs, plans] = await Promise.all([
      costsByDay(tx, { accountId, from: first, before: daysAfter(today, 1) }),
      planChargesByDay(tx, accountId, new Date(dayStartMs(first))),
    ]);
    const costOf = new Map(costs.map((cost) => [cost.day, cost]));
    const days = Array.from({ length: USAGE_DAYS }, (_, n): UsageDay => {
      const date = daysAfter(first, n);
      const { held = 0, captured = 0 } = costOf.get(date) ?? {};
      return {
        date,
        captured: rupiah(captured),
        held: rupiah(held),
        plan: plans.get(date) ?? rupiah(0),
      };
    });
    return { days, pace: paceOf(days) };
  });
}

type DayCost = { day: string; held: number; captured: number };

/** Cost of outbound messages from the day `from` to before `before`; no row for a day without messages. */
async function costsByDay(
  tx: Tx,
  { accountId, from, before }: { accountId: string; from: string; before: string },
): Promise<DayCost[]> {
  const sums = tx`
    coalesce(sum(cost) filter (where status = any(${waiting}::text[])), 0)::bigint as held,
    coalesce(sum(cost) filter (where status <> all(${waiting}::text[])), 0)::bigint as captured`;
  const days = await tx<(DayCost & { isKnown: boolean })[]>`
    select to_char(since, 'YYYY-MM-DD') as day, ${sums}, bool_and(cost is not null) as "isKnown"
    from ${countsBySpan(tx, 'day', { accountId, from, before })} c
    where direction = 'out' group by since order by since`;
  const last = days.findLast(({ isKnown }) => !isKnown)?.day;
  if (last === undefined) return days;
  const hours = {
    from: new Date(dayStartMs(from)),
    before: new Date(dayStartMs(daysAfter(last, 1))),
  };
  const early = await tx<DayCost[]>`
    select to_char(hour at time zone 'Asia/Jakarta', 'YYYY-MM-DD') as day, ${sums}
    from ${countsByHour(tx, { accountId, ...hours })} c
    where direction = 'out' group by 1`;
  return [...early, ...days.filter(({ day }) => day > last)];
}

/**
 * Daily cost of messages: the average of the whole days before today, at most seven, beginning with the first of the
 * given days that has a cost. Plans are left out: they are charged once a month.
 *
 * @param days oldest first, today last.
 */
export function paceOf(days: readonly Pick<UsageDay, 'captured' | 'held'>[]): Pace {
  const costs = days.map(({ captured, held }) => captured + held);
  const first = costs.findIndex((cost) => cost > 0);
  if (first === -1) return { state: 'none' };
  const whole = costs.slice(first, -1).slice(-PACE_DAYS);
  if (whole.length < PACE_DAYS_MIN) return { state: 'little' };
  const sum = whole.reduce((total, cost) => total + cost, 0);
  if (sum === 0) return { state: 'none' };
  return { state: 'known', per_day: rupiah(Math.round(sum / whole.length)), days: whole.length };
}
