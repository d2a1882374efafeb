import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { InvoiceStatus, PLAN_CODE, SubscriptionStatus, Invoice } from '#contract/billing.ts';
import {
  Failure,
  Direction,
  MessageStatus,
  MessageType,
  TimelineStep,
} from '#contract/messages.ts';
import { SessionRow } from '#contract/people.ts';
import { EntryKind, TopupStatus, Topup } from '#contract/saldo.ts';
import { Token } from '#contract/tokens.ts';
import { Reason } from './operators.ts';

export const WalletStatus = schema(() => z.enum(['active', 'frozen', 'closed']));
export type WalletStatus = Output<typeof WalletStatus>;

/** How a customer stands: the account before the wallet. `closing`: it will be erased, as its owner asked. */
export const CustomerState = schema(() =>
  z.enum(['active', 'suspended', 'frozen', 'closing', 'closed']),
);
export type CustomerState = Output<typeof CustomerState>;

/** States in the interface's words. */
export const customerStateLabel: Record<CustomerState, string> = {
  active: 'Aktif',
  suspended: 'Ditangguhkan',
  frozen: 'Saldo dibekukan',
  closing: 'Akan dihapus',
  closed: 'Ditutup',
};

/** Saldo in the steps that operators look for. */
export const SaldoRange = schema(() => z.enum(['empty', 'low', 'ample']));
export type SaldoRange = Output<typeof SaldoRange>;
/** Below this it is `low`. */
export const SALDO_LOW = 50_000;

/** What a search found at a customer, beside the customer: it is opened there. */
export const FoundThing = schema(() =>
  z.object({
    kind: z.enum(['message', 'token', 'topup', 'invoice']),
    /** Its public id. */
    id: z.string(),
  }),
);
export type FoundThing = Output<typeof FoundThing>;

/** A customer as the operator's list shows them. */
export const DeskCustomer = schema(() =>
  z.object({
    account_id: Id('account'),
    name: z.string(),
    /** The owner's number without its middle: `+62 812-••••-7890`. */
    phone: z.string(),
    available: Rupiah(),
    held: Rupiah(),
    /** Of the wallet. */
    status: WalletStatus(),
    state: CustomerState(),
    /** The plan's name, and whether it is paid; null where there is none. */
    plan: z.nullable(z.object({ name: z.string(), status: SubscriptionStatus() })),
    created_at: z.coerce.date(),
  }),
);
export type DeskCustomer = Output<typeof DeskCustomer>;

/** A row of the list: the customer, and what the search found there. */
export const CustomerFound = schema(() =>
  z.extend(DeskCustomer(), { found: z.nullable(FoundThing()) }),
);
export type CustomerFound = Output<typeof CustomerFound>;

/**
 * Customers by one box: a part of a name, the beginning of a number of theirs or of a linked phone, the id of
 * a message, top-up or account, an invoice's number, or the last four characters of a key.
 */
export const findCustomers = act({
  name: 'operator_customer_list',
  by: 'operator',
  roles: ['support', 'money'],
  list: 'default',
  input: () => ({
    ...paging(['created_at', 'name', 'available']),
    q: z.optional(z.string().check(z.trim(), z.maxLength(100))),
    state: z.optional(CustomerState()),
    plan: z.optional(z.string().check(z.regex(PLAN_CODE, 'Paket tidak dikenali.'))),
    saldo: z.optional(SaldoRange()),
  }),
  output: CustomerFound,
});

/** The account was suspended or let go on; they come newest first. */
const AccountStep = schema(() =>
  z.object({
    becomes: z.enum(['suspended', 'active']),
    reason: z.string(),
    operator: z.string(),
    at: z.coerce.date(),
  }),
);

const Sums = schema(() => z.object({ sent: z.int(), failed: z.int() }));

/** A customer with what moved last. */
export const DeskCustomerDetail = schema(() =>
  z.extend(DeskCustomer(), {
    /** When it will be erased, as its owner asked. */
    erase_at: z.nullable(z.coerce.date()),
    /** Messages accepted in the last 24 hours and 30 days: those that left, and those that failed. */
    messages: z.object({ day: Sums(), month: Sums() }),
    /** What the plan is, what it costs a period, and when that ends; null where there is none. */
    subscription: z.nullable(
      z.object({
        name: z.string(),
        status: SubscriptionStatus(),
        price: Rupiah(),
        is_free: z.boolean(),
        period_end: z.coerce.date(),
        ends_then: z.boolean(),
      }),
    ),
    tokens: z.array(Token()),
    /** The newest messages that failed, newest first; numbers without their middle. */
    failures: z.array(
      z.object({
        message_id: Id('message'),
        token: z.string(),
        peer: z.string(),
        failure: Failure(),
        at: z.coerce.date(),
      }),
    ),
    sessions: z.array(SessionRow()),
    invoices: z.array(
      z.object({
        id: Id('invoice'),
        number: z.nullable(z.string()),
        title: z.string(),
        status: InvoiceStatus(),
        total: Rupiah(),
        at: z.coerce.date(),
      }),
    ),
    suspensions: z.array(AccountStep()),
    /** True while the saldo is the welcome bonus, for the simulator and the own number only. */
    bonus_only: z.boolean(),
    /** The newest entries that are no steps of messages, newest first. */
    entries: z.array(
      z.object({
        seq: z.int(),
        kind: EntryKind(),
        amount: Rupiah(),
        available_after: Rupiah(),
        memo: z.nullable(z.string()),
        at: z.coerce.date(),
      }),
    ),
    topups: z.array(
      z.object({
        id: Id('topup'),
        status: TopupStatus(),
        total: Rupiah(),
        credited: Rupiah(),
        at: z.coerce.date(),
      }),
    ),
    /** When the wallet was frozen or let go on, newest first. */
    freezes: z.array(
      z.object({
        frozen: z.boolean(),
        reason: z.string(),
        operator: z.string(),
        at: z.coerce.date(),
      }),
    ),
  }),
);
export type DeskCustomerDetail = Output<typeof DeskCustomerDetail>;

export const getCustomer = act({
  name: 'operator_customer_get',
  by: 'operator',
  roles: ['support', 'money'],
  input: () => ({ account_id: IdInput('account') }),
  output: DeskCustomerDetail,
});

/** Freezes a wallet, or lets it go on. */
export const freezeWallet = act({
  name: 'operator_wallet_freeze',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    becomes: z.enum(['frozen', 'active']),
    reason: Reason(),
  }),
  output: DeskCustomerDetail,
  refuses: ['account_ended'],
});

/**
 * Suspends a customer's account, or lets it go on. Its people read the reason. While it is suspended, nothing
 * is accepted and nothing leaves; what waits stays, and people reach customer service only.
 */
export const suspendCustomer = act({
  name: 'operator_customer_suspend',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => ({
    account_id: IdInput('account'),
    becomes: z.enum(['suspended', 'active']),
    reason: Reason(),
  }),
  output: DeskCustomerDetail,
  refuses: ['account_ended'],
});

/** Ends one session of a customer's, or all of them; who signs in again needs a code. */
export const endCustomerSessions = act({
  name: 'operator_customer_session_end',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    /** Left out: all. */
    session_id: z.optional(IdInput('session')),
  }),
  output: DeskCustomerDetail,
});

/** Ends a customer's plan now: the free one follows, and what is left of the period may be given back. */
export const endCustomerPlan = act({
  name: 'operator_plan_end',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    refund: z.enum(['yes', 'no'], 'Pilih dikembalikan atau tidak.'),
    reason: Reason(),
  }),
  output: DeskCustomerDetail,
  refuses: ['account_ended', 'operator_limit_reached', 'subscription_not_running'],
});

/** A customer's message as operators see it: everything but what it says, and whom it goes to. */
export const DeskMessage = schema(() =>
  z.object({
    id: Id('message'),
    direction: Direction(),
    token: z.object({ id: Id('token'), name: z.string() }),
    /** The number without its middle. */
    peer: z.string(),
    type: MessageType(),
    status: MessageStatus(),
    /** What it costs, as it stands now: 0 once its price was given back. */
    price: Rupiah(),
    /** True when it was taken from what the plan includes. */
    by_quota: z.boolean(),
    possible_duplicate: z.boolean(),
    failure: z.nullable(Failure()),
    ref: z.nullable(z.string()),
    created_at: z.coerce.date(),
    scheduled_at: z.nullable(z.coerce.date()),
    timeline: z.array(TimelineStep()),
  }),
);
export type DeskMessage = Output<typeof DeskMessage>;

const customersMessage = () => ({
  account_id: IdInput('account'),
  message_id: IdInput('message'),
});

/** A customer's message, without its text. */
export const getCustomerMessage = act({
  name: 'operator_message_get',
  by: 'operator',
  roles: ['support', 'money'],
  input: customersMessage,
  output: DeskMessage,
});

/** What a customer's message says. Who read it, and why, is stored (docs/threats.md, T48). */
export const readCustomerMessage = act({
  name: 'operator_message_text',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: () => ({ ...customersMessage(), reason: Reason() }),
  output: () =>
    z.object({
      type: MessageType(),
      /** The text, a caption, or what is known of a file; null where there are no words. */
      text: z.nullable(z.string()),
    }),
});

/** A customer's token, with when its phone was linked. */
export const DeskToken = schema(() =>
  z.extend(Token(), {
    linked_at: z.nullable(z.coerce.date()),
    /** Messages that wait in its lane. */
    waiting: z.int(),
  }),
);
export type DeskToken = Output<typeof DeskToken>;

export const getCustomerToken = act({
  name: 'operator_token_get',
  by: 'operator',
  roles: ['support', 'money'],
  input: () => ({ account_id: IdInput('account'), token_id: IdInput('token') }),
  output: DeskToken,
});

export const getCustomerTopup = act({
  name: 'operator_customer_topup_get',
  by: 'operator',
  roles: ['support', 'money'],
  input: () => ({ account_id: IdInput('account'), topup_id: IdInput('topup') }),
  output: Topup,
});

export const getCustomerInvoice = act({
  name: 'operator_customer_invoice_get',
  by: 'operator',
  roles: ['support', 'money'],
  input: () => ({ account_id: IdInput('account'), invoice_id: IdInput('invoice') }),
  output: Invoice,
});
