import fc from 'fast-check';
import { expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import type { SubscriptionStatus } from '#contract/billing.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { test } from '#tests/support/database/database.ts';
import { type BillingApp, billingApp } from '#tests/support/money/billing.ts';
import { modelDay } from '#tests/support/money/calendar.ts';
import type { Customer } from '#tests/support/people/people.ts';

const prices = { gratis: 0, usaha: 99_000, bisnis: 299_000 } as const;
type Code = keyof typeof prices;

type Model = {
  saldo: number;
  status: SubscriptionStatus;
  plan: Code;
  anchor: string;
  n: number;
  next: Code | undefined;
  since: number;
  charged: number[];
};

const dayNumber = (day: string) => Date.parse(`${day}T00:00:00Z`) / 86_400_000;
const dayName = (number: number) => new Date(number * 86_400_000).toISOString().slice(0, 10);
const startOf = ({ anchor, n }: Model) => dayNumber(modelDay(anchor, n));
const endOf = ({ anchor, n }: Model) => dayNumber(modelDay(anchor, n + 1));

const begin = (today: number): Model => ({
  saldo: 0,
  status: 'active',
  plan: 'gratis',
  anchor: dayName(today),
  n: 0,
  next: undefined,
  since: 0,
  charged: [],
});

function pay(model: Model, amount: number): void {
  model.saldo -= amount;
  if (amount !== 0) model.charged.push(amount);
  model.status = 'active';
  model.next = undefined;
}

function beFree(model: Model, today: number | undefined): void {
  if (model.plan !== 'gratis') model.status = 'cancelled';
  Object.assign(model, { plan: 'gratis', next: undefined });
  if (today !== undefined) Object.assign(model, { anchor: dayName(today), n: 0 });
}

function step(model: Model, today: number): boolean {
  const price = prices[model.plan];
  if (model.status === 'active' || model.status === 'cancelled') {
    if (today < endOf(model)) return false;
    model.n += 1;
    const plan = model.next ?? model.plan;
    if (plan === 'gratis') {
      beFree(model, undefined);
      return true;
    }
    model.plan = plan;
    if (model.saldo >= prices[plan]) pay(model, prices[plan]);
    else Object.assign(model, { status: 'past_due', since: today, next: undefined });
    return true;
  }
  if (model.status === 'past_due') {
    if (today >= model.since + 3) {
      Object.assign(model, { status: 'suspended', since: today });
      return true;
    }
    if (model.saldo < price) return false;
    pay(model, price);
    return true;
  }
  if (today < model.since + 30) return false;
  beFree(model, today);
  return true;
}

function choose(model: Model, to: Code, today: number): string | number {
  if (model.plan === to) return 'plan_same';
  const isUnpaid = model.status === 'past_due' || model.status === 'suspended';
  if (to === 'gratis') {
    if (isUnpaid) beFree(model, today);
    else model.next = 'gratis';
    return 0;
  }
  const isFresh = model.plan === 'gratis' || model.status === 'suspended';
  if (!isFresh && !isUnpaid && prices[to] < prices[model.plan]) {
    model.next = to;
    return 0;
  }
  const [left, days] = [endOf(model) - today, endOf(model) - startOf(model)];
  const share = (price: number) => Math.floor((2 * price * left + days) / (2 * days));
  const amount = isFresh || isUnpaid ? prices[to] : share(prices[to]) - share(prices[model.plan]);
  if (model.saldo < amount) return 'saldo_short';
  if (isFresh) Object.assign(model, { anchor: dayName(today), n: 0 });
  model.plan = to;
  pay(model, amount);
  return amount;
}

function resume(model: Model, today: number): string | number {
  if (model.status === 'suspended') {
    const price = prices[model.plan];
    if (model.saldo < price) return 'saldo_short';
    Object.assign(model, { anchor: dayName(today), n: 0 });
    pay(model, price);
    return price;
  }
  if (model.status === 'past_due') return 'saldo_short';
  if (model.next === undefined) return 'subscription_not_running';
  model.next = undefined;
  return 0;
}

function cancel(model: Model, today: number): string | number {
  if (model.plan === 'gratis' || model.next === 'gratis') return 'subscription_not_running';
  return choose(model, 'gratis', today);
}

type Action = { wait: number; who: number; what: string; amount: number };

const actions: fc.Arbitrary<Action> = fc.record({
  wait: fc.integer({ min: 1, max: 14 }),
  who: fc.nat({ max: 3 }),
  what: fc.constantFrom(
    'pay in',
    'pay in',
    'pay in',
    'spend',
    'usaha',
    'usaha',
    'bisnis',
    'gratis',
    'cancel',
    'resume',
    'resume',
  ),
  amount: fc.integer({ min: 1_000, max: 400_000 }),
});

type Pair = { model: Model; who: Customer };

async function act(app: BillingApp, { model, who }: Pair, { what, amount }: Action, today: number) {
  if (what === 'pay in' || what === 'spend') {
    const moved = what === 'pay in' ? amount : -Math.min(amount, model.saldo);
    if (moved === 0) return;
    model.saldo += moved;
    await app.give(who, moved);
    return;
  }
  while (step(model, today));
  const before = model.saldo;
  const modelled =
    what === 'cancel'
      ? cancel(model, today)
      : what === 'resume'
        ? resume(model, today)
        : choose(model, what as Code, today);
  const real = async (): Promise<number> => {
    if (what === 'cancel') await app.cancel(who);
    else if (what === 'resume') await app.resume(who);
    else {
      const preview = await app.preview(who, what);
      await app.change(who, what, preview.quote);
      expect(preview.total).toBe(modelled);
    }
    return before - (await app.saldo(who));
  };
  const done = await real().catch((error: unknown) => {
    if (error instanceof Refusal) return error.code;
    throw error;
  });
  expect({ what, done }).toEqual({ what, done: modelled });
}

async function compare(app: BillingApp, { model, who }: Pair): Promise<void> {
  const [row] = await app.deps.allAccountsSql`
    select s.status, plan_code as plan, w.available as saldo, next_plan, cancel_at_period_end as ends,
      (period_start at time zone 'Asia/Jakarta')::date as starts,
      (period_end at time zone 'Asia/Jakarta')::date as ends_on
    from subscriptions s join wallets w using (account_id) where account_id = ${who.accountId}`;
  expect(row).toEqual({
    status: model.status,
    plan: model.plan,
    saldo: model.saldo,
    next_plan: model.next === 'gratis' ? null : (model.next ?? null),
    ends: model.next === 'gratis',
    starts: modelDay(model.anchor, model.n),
    ends_on: modelDay(model.anchor, model.n + 1),
  });
}

/** Anchors on the 28th to the 31st, in a leap year's January and in the year before. */
const FIRST = dayNumber('2027-10-28');
const MONTHS = 36;

async function play(app: BillingApp, script: readonly Action[]): Promise<void> {
  const pairs: Pair[] = [];
  const at = (today: number, time: string) => app.goTo(`${dayName(today)}T${time}`);
  const due = new Map<number, Action>();
  let place = FIRST + 4;
  for (const action of script) due.set((place += action.wait), action);
  const last = dayNumber(modelDay(dayName(FIRST), MONTHS));
  for (let today = FIRST; today <= last; today++) {
    at(today, '00:00');
    await app.run();
    for (const { model } of pairs) step(model, today);
    at(today, '12:00');
    if (pairs.length < 4) pairs.push({ model: begin(today), who: await app.customer() });
    const action = due.get(today);
    const pair = action && pairs[action.who];
    if (!pair) continue;
    await act(app, pair, action, today);
    await compare(app, pair);
  }
  for (const pair of pairs) {
    await compare(app, pair);
    const charges = await app.charges(pair.who);
    expect(charges.map(({ amount }) => amount).filter((amount) => amount !== 0)).toEqual(
      pair.model.charged,
    );
  }
}

test('36 months of random changes and payments match the reference model', async ({ db }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { minLength: 150, maxLength: 150 }), async (script) => {
      const app = billingApp(db);
      // Earlier subscriptions would come due during this run.
      await db.owner`delete from subscriptions`;
      await play(app, script);
      expect(app.troubles).toEqual([]);
    }),
    { numRuns: 3, endOnFailure: true },
  );
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
});
