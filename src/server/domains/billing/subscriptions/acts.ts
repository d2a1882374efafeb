import type { BillingDeps } from '#server/domains/billing/deps.ts';
import { rupiah, type Rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type Subscription,
  type SubscriptionPreview,
  cancelSubscription,
  changeSubscription,
  getSubscription,
  listPlans,
  previewSubscription,
  resumeSubscription,
} from '#contract/billing.ts';
import {
  GRATIS,
  type PlanRevision,
  offeredPlans,
  planAt,
  planOf,
  plansAt,
  revisionAt,
} from '#server/domains/billing/plans.ts';
import { walletOf, type Wallet, chargedMessages } from '#server/domains/ledger/ledger.ts';
import { countTokens } from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { endUnpaid } from './advance.ts';
import { dropPending } from '#server/domains/billing/notices.ts';
import { type Change, type SubscriptionState, changeOf, quoteOf } from './change.ts';
import {
  beginPaidPeriod,
  changeWithinPeriod,
  lockFunds,
  refuseUnpayable,
  voidDue,
} from './charge.ts';
import { advanceAccount } from './job.ts';
import { periodFrom, wibDay } from './periods.ts';
import {
  type SubscriptionRow,
  lockSubscription,
  openSubscription,
  readSubscription,
  subscriptionStateOf,
  writeSubscription,
} from './row.ts';

export const subscriptionActs = (
  deps: Pick<BillingDeps, 'allAccountsSql' | 'now'>,
): readonly ActHandler[] => [
  handle(listPlans, async () => ({ plans: await offeredPlans(deps.allAccountsSql, deps.now()) })),
  handle(getSubscription, async ({ caller: { accountId } }) => {
    const at = deps.now();
    await applyDueSteps({ ...deps, now: () => at }, accountId);
    return deps.allAccountsSql.begin((tx) => viewSubscription(tx, accountId, at));
  }),
  handle(previewSubscription, ({ caller }, { plan }) => preview(deps, caller.accountId, plan)),
  handle(changeSubscription, ({ caller }, input) =>
    updateSubscription(deps, caller.accountId, (tx, at, row) => change(tx, row, { ...input, at })),
  ),
  handle(cancelSubscription, ({ caller }) =>
    updateSubscription(deps, caller.accountId, (tx, at, row) => cancel(tx, row, at)),
  ),
  handle(resumeSubscription, ({ caller }) =>
    updateSubscription(deps, caller.accountId, (tx, at, row) => resume(tx, row, at)),
  ),
];

type Work = (tx: Tx, at: Date, row: SubscriptionRow) => Promise<unknown>;

async function updateSubscription(
  { allAccountsSql, now }: Pick<BillingDeps, 'allAccountsSql' | 'now'>,
  accountId: string,
  work: Work,
): Promise<Subscription> {
  const at = now();
  await applyDueSteps({ allAccountsSql, now: () => at }, accountId);
  await allAccountsSql.begin(async (tx) => {
    const row = await lockSubscription(tx, accountId);
    if (!row) throw new Error('an account without a subscription');
    await work(tx, at, row);
  });
  return allAccountsSql.begin((tx) => viewSubscription(tx, accountId, at));
}

/** Opens the subscription if there is none, and applies its due steps. */
async function applyDueSteps(
  deps: Pick<BillingDeps, 'allAccountsSql' | 'now'>,
  accountId: string,
): Promise<void> {
  const row = await readSubscription(deps.allAccountsSql, accountId);
  if (!row) {
    await deps.allAccountsSql.begin((tx) => openSubscription(tx, accountId, deps.now()));
  } else if (mayBeDue(row, deps.now())) await advanceAccount(deps, accountId);
}

const mayBeDue = ({ status, period_end: end }: SubscriptionRow, at: Date): boolean =>
  status === 'past_due' || status === 'suspended' || at >= end;

async function requestedPlan(tx: Tx, code: string, at: Date): Promise<PlanRevision> {
  const plan = await planAt(tx, code, at);
  if (!plan.isOffered) throw new Refusal('not_found', { what: 'Paket' });
  return plan;
}

async function preview(
  { allAccountsSql, now }: Pick<BillingDeps, 'allAccountsSql' | 'now'>,
  accountId: string,
  code: string,
): Promise<SubscriptionPreview> {
  const at = now();
  await applyDueSteps({ allAccountsSql, now: () => at }, accountId);
  return allAccountsSql.begin(async (tx) => {
    const row = await lockSubscription(tx, accountId);
    if (!row) throw new Error('an account without a subscription');
    const [current, to, { available }, tokens] = [
      await subscriptionStateOf(tx, row),
      await requestedPlan(tx, code, at),
      await walletOf(tx, accountId),
      await countTokens(tx, accountId),
    ];
    const made = changeOf(current, to, at);
    return {
      from: planOf(current.plan),
      to: planOf(to),
      when: made.kind === 'period_end' ? 'period_end' : 'now',
      starts_at: made.startsAt,
      credit: made.credit,
      charge: made.charge,
      total: made.total,
      days_left: made.daysLeft,
      days_in_period: made.daysInPeriod,
      quota: made.quota,
      next_charge: made.nextCharge,
      available,
      shortage: rupiah(Math.max(0, made.total - available)),
      tokens_over: Math.max(0, tokens - to.tokens),
      quote: quoteOf(current, to, made, at),
    };
  });
}

async function change(
  tx: Tx,
  row: SubscriptionRow,
  { plan: code, quote, at }: { plan: string; quote: string; at: Date },
): Promise<void> {
  const current = await subscriptionStateOf(tx, row);
  const plan = await requestedPlan(tx, code, at);
  const made = changeOf(current, plan, at);
  if (quoteOf(current, plan, made, at) !== quote) throw new Refusal('quote_stale', {});
  refuseUnpayable(await lockFunds(tx, row.account_id), made.total);
  await apply(tx, row, { current, plan, made, at });
}

type AgreedChange = {
  current: SubscriptionState & { plan: PlanRevision };
  plan: PlanRevision;
  made: Change;
  at: Date;
};

async function apply(tx: Tx, row: SubscriptionRow, { current, plan, made, at }: AgreedChange) {
  switch (made.kind) {
    case 'prorated':
      return changeWithinPeriod(tx, row, { from: current.plan, plan, change: made, at });
    case 'period_end':
      return planNext(tx, row, plan);
    case 'free':
      return endUnpaid(tx, row, at);
    default: {
      await voidDue(tx, row, { at, note: `Diganti dengan paket ${plan.name}.` });
      await dropPending(tx, row.account_id);
      const period = { ...made.period, anchor: made.anchor };
      return beginPaidPeriod(tx, row, { plan, period, revision: row.revision + 1, at });
    }
  }
}

const planNext = (tx: Tx, row: SubscriptionRow, { code }: PlanRevision): Promise<void> =>
  writeSubscription(tx, row, {
    ...row,
    next_plan: code === GRATIS ? null : code,
    cancel_at_period_end: code === GRATIS,
    revision: row.revision + 1,
  });

async function cancel(tx: Tx, row: SubscriptionRow, at: Date): Promise<unknown> {
  if (row.plan_code === GRATIS || row.cancel_at_period_end) {
    throw new Refusal('subscription_not_running', {});
  }
  if (row.status !== 'active') return endUnpaid(tx, row, at);
  return planNext(tx, row, await planAt(tx, GRATIS, at));
}

async function resume(tx: Tx, row: SubscriptionRow, at: Date): Promise<void> {
  if (row.status === 'suspended') {
    // A new period begins, so it takes the current revision.
    const plan = await planAt(tx, row.plan_code, at);
    refuseUnpayable(await lockFunds(tx, row.account_id), plan.price);
    const revision = row.revision + 1;
    return beginPaidPeriod(tx, row, { plan, period: periodFrom(at), revision, at });
  }
  if (row.status === 'past_due') {
    // `applyDueSteps` has already charged what the saldo covers.
    const { plan } = await subscriptionStateOf(tx, row);
    refuseUnpayable(await lockFunds(tx, row.account_id), plan.price);
  }
  if (!row.cancel_at_period_end && row.next_plan === null) {
    throw new Refusal('subscription_not_running', {});
  }
  await writeSubscription(tx, row, {
    ...row,
    next_plan: null,
    cancel_at_period_end: false,
    revision: row.revision + 1,
  });
}

async function viewSubscription(tx: Tx, accountId: string, at: Date): Promise<Subscription> {
  const row = await readSubscription(tx, accountId);
  if (!row) throw new Error('an account without a subscription');
  const [plan, plans, wallet, charged, tokens] = await Promise.all([
    revisionAt(tx, { code: row.plan_code, revision: row.plan_revision }),
    plansAt(tx, at),
    walletOf(tx, accountId),
    chargedMessages(tx, accountId, { from: row.period_start, before: row.period_end }),
    countTokens(tx, accountId),
  ]);
  const { available } = wallet;
  const usage = usageOf(row, { wallet, charged, at });
  const due = dueOf(row, plan, plans);
  const next = nextOf(row, plan, plans);
  return {
    plan: planOf(plan),
    status: row.status,
    period_start: row.period_start,
    period_end: row.period_end,
    next_charge: nextCharge(row, { plan, next, due }),
    next_plan: next && next.code !== plan.code ? planOf(next) : null,
    cancel_at_period_end: row.cancel_at_period_end,
    grace_until: row.grace_until,
    shortage: due !== null && due > available ? rupiah(due - available) : null,
    usage,
    tokens_used: tokens,
  };
}

type Plans = ReadonlyMap<string, PlanRevision>;

function dueOf(row: SubscriptionRow, plan: PlanRevision, plans: Plans): Rupiah | null {
  if (row.status === 'past_due') return plan.price;
  return row.status === 'suspended' ? (plans.get(plan.code) ?? plan).price : null;
}

function nextOf(row: SubscriptionRow, plan: PlanRevision, plans: Plans): PlanRevision | null {
  if (row.status === 'suspended') return null;
  const code = row.cancel_at_period_end ? GRATIS : (row.next_plan ?? plan.code);
  return plans.get(code) ?? null;
}

function nextCharge(
  row: SubscriptionRow,
  { plan, next, due }: { plan: PlanRevision; next: PlanRevision | null; due: Rupiah | null },
): Subscription['next_charge'] {
  if (row.status === 'past_due' && due !== null) return { at: row.period_start, amount: due };
  if (!next || next.price === 0 || plan.price === 0) return null;
  return { at: row.period_end, amount: next.price };
}

type Used = {
  wallet: Pick<Wallet, 'planUsed' | 'planQuota'>;
  /** Counted beyond the quota, not derived from the price, which may have changed within the period. */
  charged: { count: number; amount: Rupiah };
  at: Date;
};

function usageOf(
  { period_start: start, period_end: end }: SubscriptionRow,
  { wallet: { planUsed: used, planQuota: quota }, charged: { count, amount }, at }: Used,
): Subscription['usage'] {
  return {
    used,
    quota,
    beyond: count,
    beyond_amount: amount,
    forecast: forecastOf({ start, end, at, messages: used + count }),
  };
}

type Pace = { start: Date; end: Date; at: Date; messages: number };

/** Messages of the whole period at the pace so far; null on the first day. */
export function forecastOf({ start, end, at, messages }: Pace): number | null {
  if (at < start || wibDay(at).equals(wibDay(start))) return null;
  const passed = Math.min(at.getTime(), end.getTime()) - start.getTime();
  return Math.round((messages * (end.getTime() - start.getTime())) / passed);
}
