import { createHash } from 'node:crypto';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Plan, SubscriptionStatus } from '#contract/billing.ts';
import { type Period, daysLeft, periodFrom, wibDay } from './periods.ts';

export type SubscriptionState = {
  accountId: string;
  status: SubscriptionStatus;
  plan: Plan;
  period: Period;
  anchor: string;
  quota: number;
  revision: number;
};

/**
 * The kinds of change of a plan:
 * `whole`: a period begins today at full price; `same_period`: the due period is charged at the new plan's price;
 * `prorated`: at once, for the remaining days; `period_end`: with the next period; `free`: the free plan begins today,
 * because the old one was not paid.
 */
export type ChangeKind = 'whole' | 'same_period' | 'prorated' | 'period_end' | 'free';

export type Change = {
  kind: ChangeKind;
  startsAt: Date;
  credit: Rupiah;
  charge: Rupiah;
  /** Debited from the saldo now; negative if credited. */
  total: Rupiah;
  daysLeft: number;
  daysInPeriod: number;
  period: Period;
  anchor: string;
  quota: number;
  nextCharge: { at: Date; amount: Rupiah } | null;
};

/** The share of a price for some days of a period, rounded half up once. */
export const prorate = (price: Rupiah, days: number, daysInPeriod: number): Rupiah =>
  rupiah(shareOf(price, days, daysInPeriod));

function shareOf(whole: number, days: number, daysInPeriod: number): number {
  const twice = 2n * BigInt(daysInPeriod);
  return Number((2n * BigInt(whole) * BigInt(days) + BigInt(daysInPeriod)) / twice);
}

const isFree = ({ price }: Plan) => price === 0;

/** True if the new plan costs at least as much, or includes at least as much; then it begins at once. */
const isUpgrade = (from: Plan, to: Plan): boolean =>
  to.price >= from.price || (to.tokens >= from.tokens && to.quota >= from.quota);

function kindOf({ status, plan }: SubscriptionState, to: Plan): ChangeKind {
  const isUnpaid = status === 'past_due' || status === 'suspended';
  if (isFree(to)) return isUnpaid ? 'free' : 'period_end';
  if (isFree(plan) || status === 'suspended') return 'whole';
  if (status === 'past_due') return 'same_period';
  return isUpgrade(plan, to) ? 'prorated' : 'period_end';
}

/**
 * The effect of a change of plan, for both the preview and the change itself.
 *
 * @throws Refusal `plan_same` when the account is on the plan already.
 */
export function changeOf(current: SubscriptionState, to: Plan, at: Date): Change {
  const { plan, period, anchor } = current;
  if (plan.code === to.code) throw new Refusal('plan_same', {});
  const kind = kindOf(current, to);
  const startsToday = kind === 'whole' || kind === 'free';
  const first = startsToday ? periodFrom(at) : { anchor, ...period };
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
    quota: kind === 'prorated' ? proratedQuota(current, to, days) : to.quota,
    nextCharge: isFree(to) ? null : { at: first.end, amount: to.price },
  };
}

/** The quota, prorated like the price. Otherwise an upgrade on the last day would add a whole month's messages. */
function proratedQuota({ plan, quota, period }: SubscriptionState, to: Plan, days: number): number {
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

/** Hash of a preview and the WIB day. It needs no secret: a forged quote only accepts the actual charge. */
export function quoteOf(
  { accountId, revision, status, plan }: SubscriptionState,
  to: Plan,
  change: Change,
  at: Date,
): string {
  const { kind, credit, charge, quota, daysLeft: left, daysInPeriod, period, nextCharge } = change;
  const facts = [
    [accountId, revision, status, plan.code, plan.revision, to.code, to.revision, to.quota],
    [kind, credit, charge, quota, left, daysInPeriod, period.firstDay, period.end],
    [nextCharge?.at, nextCharge?.amount, wibDay(at).toString()],
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url');
}
