import type { Page } from 'playwright-core';
import { fakeRequests } from '#tests/journeys/support/fake-acts.ts';
import type {
  Plan,
  Subscription,
  SubscriptionPreview,
  BillingProfile,
  InvoiceDetail,
} from '#contract/billing.ts';
import { type RefusalCode, type FactsOf, refusals } from '#contract/base/refusals.ts';
import { bisnis, buyer, gratis, invoices, usaha } from './samples.ts';

/** The server's billing data of an account. A test changes it, as time or the server would. */
export type BillingWorld = {
  subscription: Subscription;
  plans: readonly Plan[];
  invoices: readonly InvoiceDetail[];
  buyer: BillingProfile;
  previews: Readonly<Record<string, SubscriptionPreview>>;
  readonly asked: Record<string, string>[];
  failing: RegExp | undefined;
  waiting: Promise<void> | undefined;
  /** Called before a change is answered; returns the refusal, or the world after the change. */
  onChange: (act: string, fields: Record<string, string>, world: BillingWorld) => Answer;
};

type Refused = { [C in RefusalCode]: { refused: C; facts: FactsOf<C> } }[RefusalCode];
type Answer = Refused | { data: unknown };

export const refuse = <C extends RefusalCode>(refused: C, facts: FactsOf<C>) =>
  ({ refused, facts }) as Refused;

export function billingWorld(subscription: Subscription, given: Partial<BillingWorld> = {}) {
  const world: BillingWorld = {
    subscription,
    plans: [gratis, usaha, bisnis],
    invoices,
    buyer,
    previews: {},
    asked: [],
    failing: undefined,
    waiting: undefined,
    onChange: (_act, _fields, { subscription: data }) => ({ data }),
    ...given,
  };
  return world;
}

const PAGE = 10;

function listed(world: BillingWorld, fields: Record<string, string>) {
  const { status, kind, page = '0' } = fields;
  const fitting = world.invoices.filter(
    (one) => (!status || one.status === status) && (!kind || one.kind === kind),
  );
  const from = Number(page) * PAGE;
  return {
    data: fitting.slice(from, from + PAGE),
    total_page: Math.ceil(fitting.length / PAGE),
  };
}

const methods = ['bank', 'qris', 'va_bca'].map((method) => ({
  method,
  simulated: true,
  minimum: 10_000,
  maximum: 100_000_000,
  minutes: 1_440,
}));

const changing = /^(?:subscription_(?:change|cancel|resume)|invoice_pay|billing_profile_save)$/;

function answer(world: BillingWorld, act: string, fields: Record<string, string>): Answer {
  if (changing.test(act)) {
    world.asked.push({ act, ...fields });
    return world.onChange(act, fields, world);
  }
  const missing = refuse('not_found', { what: 'invoice' });
  switch (act) {
    case 'subscription_get':
      return { data: world.subscription };
    case 'plan_list':
      return { data: { plans: world.plans } };
    case 'subscription_preview': {
      const preview = world.previews[fields['plan'] ?? ''];
      return preview ? { data: preview } : missing;
    }
    case 'invoice_get': {
      const invoice = world.invoices.find(({ id }) => id === fields['invoice_id']);
      return invoice ? { data: invoice } : missing;
    }
    case 'invoice_pdf':
      world.asked.push({ act, ...fields });
      return { data: { url: '/not-found.svg', filename: 'INV-2026-11-000119.pdf' } };
    case 'topup_methods':
      return { data: { methods, ppn: true } };
    default:
      return { data: world.buyer };
  }
}

const known = /^(?:subscription_|plan_list|invoice_|billing_profile_|topup_methods)/;
const envelope = ['act', 'token', 'fcm', 'key'];

/** Answers all billing acts in place of the server; everything else reaches it. */
export async function fakeBilling(tab: Page, world: BillingWorld): Promise<void> {
  await fakeRequests(tab, async (given) => {
    const act = given['act'] ?? '';
    if (!known.test(act)) return undefined;
    await world.waiting;
    if (world.failing?.test(act)) {
      return { status: 503, json: { code: 0, msg: 'Sedang penuh.' } };
    }
    const fields = Object.fromEntries(
      Object.entries(given).filter(([name]) => !envelope.includes(name)),
    );
    if (act === 'invoice_list') {
      return { json: { code: 1, result: listed(world, fields) } };
    }
    const said = answer(world, act, fields);
    if ('data' in said) return { json: { code: 1, data: said.data } };
    const { refused: code, facts } = said;
    return { status: refusals[code].status, json: { code: 0, error: { type: code, facts } } };
  });
}
