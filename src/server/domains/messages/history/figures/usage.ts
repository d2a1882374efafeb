import { rupiah } from '#contract/base/money.ts';
import { civilDate } from '#contract/base/time.ts';
import type { MessageStatus } from '#contract/messages.ts';
import {
  PACE_DAYS,
  PACE_DAYS_MIN,
  type Pace,
  type SaldoUsage,
  USAGE_DAYS,
  type UsageDay,
  saldoUsage,
} from '#contract/saldo/usage.ts';
import { planChargesByDay } from '#server/domains/ledger/ledger.ts';
import { handle } from '#server/infra/acts/act.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { countsByHour } from '#server/domains/messages/history/counts.ts';
import { dayStartMs, daysAfter, readAsAccount } from '#server/domains/messages/history/pages.ts';

type Deps = { sql: Sql; now: () => Date };

/** What went out by day: the chart of the saldo page. */
export const usageHandler = ({ sql, now }: Deps) =>
  handle(saldoUsage, ({ caller }) => usageOf(sql, caller.accountId, now()));

/** Statuses of messages that no result is known of yet: what they cost is held. */
const waiting: readonly MessageStatus[] = ['scheduled', 'accepted', 'queued', 'sending'];

/**
 * What the account's messages of the last 30 days of WIB cost, today included, by the day they were accepted;
 * and what plans cost, by the day they were charged. Read from the counts, never from the messages.
 */
export function usageOf(sql: Sql, accountId: string, now: Date): Promise<SaldoUsage> {
  const today = civilDate(now);
  const first = daysAfter(today, 1 - USAGE_DAYS);
  const from = new Date(dayStartMs(first));
  const before = new Date(dayStartMs(daysAfter(today, 1)));
  return readAsAccount(sql, accountId, async (tx) => {
    const [costs, plans] = await Promise.all([
      tx<{ day: string; held: number; captured: number }[]>`
        select to_char(hour at time zone 'Asia/Jakarta', 'YYYY-MM-DD') as day,
          coalesce(sum(cost) filter (where status = any(${waiting}::text[])), 0)::bigint as held,
          coalesce(sum(cost) filter (where status <> all(${waiting}::text[])), 0)::bigint as captured
        from ${countsByHour(tx, { accountId, from, before })} c
        where direction = 'out' group by 1`,
      planChargesByDay(tx, accountId, from),
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

/**
 * What messages cost a day: the average of the whole days before today, seven at most, since the first of
 * the given days that cost anything. Plans are left out: they are charged once a month.
 *
 * @param days the oldest first, today last.
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
