import type { Subscription, SubscriptionPreview } from '#contract/billing.ts';
import { openSubscription, runBilling, subscriptionActs } from '#server/domains/billing/billing.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { perform } from './topups.ts';
import { giveSaldo } from '#tests/support/money/wallets.ts';

/** 21 November 2026, 09.00 WIB. */
const MORNING = new Date('2026-11-21T02:00:00Z');

export type BillingApp = ReturnType<typeof billingApp>;

export function billingApp(db: TestDatabase, start = MORNING) {
  let at = start.getTime();
  const now = () => new Date(at);
  const pushed: string[] = [];
  const sent: { phone: string; text: string }[] = [];
  const troubles: unknown[] = [];
  const deps = {
    allAccountsSql: db.allAccountsSql,
    now,
    queueNotice: async (_tx: unknown, { title }: { title: string }) => void pushed.push(title),
    sendSystemText: async (phone: string, text: string) => void sent.push({ phone, text }),
    report: (trouble: unknown) => void troubles.push(trouble),
  };
  const acts = subscriptionActs(deps);
  const ask = (name: string, who: Customer, fields = {}) => perform(acts, name, who, fields);
  return {
    deps,
    now,
    pushed,
    sent,
    troubles,
    goTo: (local: string) => {
      at = new Date(`${local}:00+07:00`).getTime();
    },
    pass: (hours: number) => {
      at += hours * 3_600_000;
    },
    run: () => runBilling(deps),
    customer: async (saldo = 0): Promise<Customer> => {
      const who = await customerWith(db.allAccountsSql, { saldo });
      await db.allAccountsSql.begin((tx) => openSubscription(tx, who.accountId, now()));
      return who;
    },
    get: (who: Customer) => ask('subscription_get', who) as Promise<Subscription>,
    preview: (who: Customer, plan: string) =>
      ask('subscription_preview', who, { plan }) as Promise<SubscriptionPreview>,
    change: (who: Customer, plan: string, quote: string) =>
      ask('subscription_change', who, { plan, quote }) as Promise<Subscription>,
    choose: async (who: Customer, plan: string): Promise<Subscription> => {
      const { quote } = (await ask('subscription_preview', who, { plan })) as SubscriptionPreview;
      return (await ask('subscription_change', who, { plan, quote })) as Subscription;
    },
    cancel: (who: Customer) => ask('subscription_cancel', who) as Promise<Subscription>,
    resume: (who: Customer) => ask('subscription_resume', who) as Promise<Subscription>,
    /** Credits an amount, or debits a negative one. */
    give: (who: Customer, amount: number) =>
      db.allAccountsSql.begin((tx) =>
        giveSaldo(tx, who.accountId, amount, { kind: 'adjust', memo: 'uji' }),
      ),
    saldo: async ({ accountId }: Customer): Promise<number> => {
      const [wallet] = await db.allAccountsSql<{ available: number }[]>`
        select available from wallets where account_id = ${accountId}`;
      return wallet?.available ?? Number.NaN;
    },
    charges: ({ accountId }: Customer) => db.allAccountsSql<
      { kind: string; plan: string; amount: number; day: string; revision: number }[]
    >`
      select kind, plan_code as plan, amount, revision,
        (period_start at time zone 'Asia/Jakarta')::date as day
      from subscription_charges where account_id = ${accountId} order by at, revision`,
    allowance: async ({ accountId }: Customer) => {
      const [wallet] = await db.allAccountsSql`
        select plan_quota as quota, plan_used as used, plan_price as price
        from wallets where account_id = ${accountId}`;
      return wallet;
    },
    subjects: async ({ accountId }: Customer): Promise<string[]> => {
      const found = await db.allAccountsSql<{ subject: string }[]>`
        select subject from billing_notices where account_id = ${accountId} order by notice_id`;
      return found.map(({ subject }) => subject);
    },
  };
}
