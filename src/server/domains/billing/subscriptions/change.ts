import { createHash } from 'node:crypto';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Plan, SubscriptionStatus } from '#contract/billing.ts';
import { type Period, daysLeft, periodFrom, wibDay } from './periods.ts';

/** What a change of plan starts from. */
export type Standing = {
  accountId: string;
  status: SubscriptionStatus;
  plan: Plan;
  period: Period;
  anchor: string;
  /** The messages that the period includes. */
  quota: number;
  /** Counts the changes so far. */
  revision: number;
};

/**
 * How a plan becomes another one:
 * `whole`: a period begins today with its whole price; `same_period`: the period that is due is charged
 * with the other plan's price; `prorated`: at once, for the days left; `period_end`: with the next period;
 * `free`: the free plan begins today, for nothing was paid.
 */
export type ChangeKind = 'whole' | 'same_period' | 'prorated' | 'period_end' | 'free';

/** What a change of plan does, to the rupiah. */
export type Change = {
  kind: ChangeKind;
  startsAt: Date;
  credit: Rupiah;
  charge: Rupiah;
  /** What leaves the saldo now; negative is given back. */
  total: Rupiah;
  daysLeft: number;
  daysInPeriod: number;
  /** The period that begins, or goes on. */
  period: Period;
  anchor: string;
  /** The messages that it includes then, those that are used counted. */
  quota: number;
  nextCharge: { at: Date; amount: Rupiah } | null;
};

/** The share of a price for some of a period's days, rounded half up once. */
export const prorate = (price: Rupiah, days: number, daysInPeriod: number): Rupiah =>
  rupiah(shareOf(price, days, daysInPeriod));

function shareOf(whole: number, days: number, daysInPeriod: number): number {
  const twice = 2n * BigInt(daysInPeriod);
  return Number((2n * BigInt(whole) * BigInt(days) + BigInt(daysInPeriod)) / twice);
}

const isFree = ({ price }: Plan) => price === 0;

/** Whether a plan gives at least what another does: then it begins at once, whatever it costs. */
const isUpgrade = (from: Plan, to: Plan): boolean =>
  to.price >= from.price || (to.tokens >= from.tokens && to.quota >= from.quota);

function kindOf({ status, plan }: Standing, to: Plan): ChangeKind {
  const isUnpaid = status === 'past_due' || status === 'suspended';
  if (isFree(to)) return isUnpaid ? 'free' : 'period_end';
  if (isFree(plan) || status === 'suspended') return 'whole';
  if (status === 'past_due') return 'same_period';
  return isUpgrade(plan, to) ? 'prorated' : 'period_end';
}

/**
 * What becoming another plan does. Preview and change both ask this and nothing else.
 *
 * @throws Refusal `plan_same` when it has the plan already.
 */
export function changeOf(standing: Standing, to: Plan, at: Date): Change {
  const { plan, period, anchor } = standing;
  if (plan.code === to.code) throw new Refusal('plan_same', {});
  const kind = kindOf(standing, to);
  const isFresh = kind === 'whole' || kind === 'free';
  const first = isFresh ? periodFrom(at) : { anchor, ...period };
  const days = kind === 'same_period' ? first.days : daysLeft(first, at);
  const [credit, charge] = amountsOf(kind, { from: plan, to, days, of: first.days });
  return {
    kind,
    startsAt: startOf(kind, first, at),
    credit,
    charge,
    total: rupiah(charge - credit),
    daysLeft: days,
    daysInPeriod: first.days,
    period: first,
    anchor: first.anchor,
    quota: kind === 'prorated' ? proratedQuota(standing, to, days) : to.quota,
    nextCharge: isFree(to) ? null : { at: first.end, amount: to.price },
  };
}

/**
 * Of the messages as of the price: the days left bring their share of the new plan's instead of the old
 * one's. Otherwise a plan of the last day alone would bring those of a month.
 */
function proratedQuota({ plan, quota, period }: Standing, to: Plan, days: number): number {
  const gained = shareOf(to.quota, days, period.days) - shareOf(plan.quota, days, period.days);
  return Math.max(0, quota + gained);
}

function startOf(kind: ChangeKind, period: Period, at: Date): Date {
  if (kind === 'period_end') return period.end;
  return kind === 'prorated' ? at : period.start;
}

function amountsOf(
  kind: ChangeKind,
  { from, to, days, of }: { from: Plan; to: Plan; days: number; of: number },
): [credit: Rupiah, charge: Rupiah] {
  switch (kind) {
    case 'prorated':
      return [prorate(from.price, days, of), prorate(to.price, days, of)];
    case 'whole':
    case 'same_period':
      return [rupiah(0), to.price];
    default:
      return [rupiah(0), rupiah(0)];
  }
}

/**
 * Names what a preview said. It is another one when any of it has changed, or the day in WIB has.
 * Nothing secret: whoever makes one up agrees to what is charged anyway.
 */
export function quoteOf(
  { accountId, revision, status, plan }: Standing,
  to: Plan,
  change: Change,
  at: Date,
): string {
  const { kind, credit, charge, quota, daysLeft: left, daysInPeriod, period, nextCharge } = change;
  const said = [
    [accountId, revision, status, plan.code, plan.revision, to.code, to.revision, to.quota],
    [kind, credit, charge, quota, left, daysInPeriod, period.firstDay, period.end],
    [nextCharge?.at, nextCharge?.amount, wibDay(at).toString()],
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url');
}
