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

/** The account's state takes precedence over the wallet's. `closing`: it will be erased at its owner's request. */
export const CustomerState = schema(() =>
  z.enum(['active', 'suspended', 'frozen', 'closing', 'closed']),
);
export type CustomerState = Output<typeof CustomerState>;

export const customerStateLabel: Record<CustomerState, string> = {
  active: 'Aktif',
  suspended: 'Ditangguhkan',
  frozen: 'Saldo dibekukan',
  closing: 'Akan dihapus',
  closed: 'Ditutup',
};

export const SaldoRange = schema(() => z.enum(['empty', 'low', 'ample']));
export type SaldoRange = Output<typeof SaldoRange>;
/** Below this it is `low`. */
export const SALDO_LOW = 50_000;

/** A record that a search found for a customer. */
export const FoundRecord = schema(() =>
  z.object({
    kind: z.enum(['message', 'token', 'topup', 'invoice']),
    id: z.string(),
  }),
);
export type FoundRecord = Output<typeof FoundRecord>;

export const OperatorCustomer = schema(() =>
  z.object({
    account_id: Id('account'),
    name: z.string(),
    /** The owner's number, masked: `+62 812-••••-7890`. */
    phone: z.string(),
    available: Rupiah(),
    held: Rupiah(),
    /** Of the wallet. */
    status: WalletStatus(),
    state: CustomerState(),
    plan: z.nullable(z.object({ name: z.string(), status: SubscriptionStatus() })),
    created_at: z.coerce.date(),
  }),
);
export type OperatorCustomer = Output<typeof OperatorCustomer>;

export const FoundCustomer = schema(() =>
  z.extend(OperatorCustomer(), { found: z.nullable(FoundRecord()) }),
);
export type FoundCustomer = Output<typeof FoundCustomer>;

/**
 * Searches customers by one term: a part of a name, the beginning of a number of theirs or of a linked phone, the id of
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
  output: FoundCustomer,
});

const AccountStep = schema(() =>
  z.object({
    becomes: z.enum(['suspended', 'active']),
    reason: z.string(),
    operator: z.string(),
    at: z.coerce.date(),
  }),
);

const Sums = schema(() => z.object({ sent: z.int(), failed: z.int() }));

export const OperatorCustomerDetail = schema(() =>
  z.extend(OperatorCustomer(), {
    erase_at: z.nullable(z.coerce.date()),
    messages: z.object({ day: Sums(), month: Sums() }),
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
    /** The newest failed messages, newest first; numbers are masked. */
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
export type OperatorCustomerDetail = Output<typeof OperatorCustomerDetail>;

export const getCustomer = act({
  name: 'operator_customer_get',
  by: 'operator',
  roles: ['support', 'money'],
  input: () => ({ account_id: IdInput('account') }),
  output: OperatorCustomerDetail,
});

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
  output: OperatorCustomerDetail,
  refuses: ['account_ended'],
});

/**
 * Suspends a customer's account, or lifts the suspension. Its users read the reason. While suspended, nothing is
 * accepted or sent; queued messages stay, and users reach customer support only.
 */
export const suspendCustomer = act({
  name: 'operator_customer_suspend',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({
    account_id: IdInput('account'),
    becomes: z.enum(['suspended', 'active']),
    reason: Reason(),
  }),
  output: OperatorCustomerDetail,
  refuses: ['account_ended'],
});

/** Ends one session of a customer, or all of them; the next sign-in needs a code. */
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
  output: OperatorCustomerDetail,
});

/** Ends a customer's plan now: the free one follows, and the rest of the period may be refunded. */
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
  output: OperatorCustomerDetail,
  refuses: ['account_ended', 'operator_limit_reached', 'subscription_not_running'],
});

export const OperatorMessage = schema(() =>
  z.object({
    id: Id('message'),
    direction: Direction(),
    token: z.object({ id: Id('token'), name: z.string() }),
    peer: z.string(),
    type: MessageType(),
    status: MessageStatus(),
    price: Rupiah(),
    by_quota: z.boolean(),
    possible_duplicate: z.boolean(),
    failure: z.nullable(Failure()),
    ref: z.nullable(z.string()),
    created_at: z.coerce.date(),
    scheduled_at: z.nullable(z.coerce.date()),
    timeline: z.array(TimelineStep()),
  }),
);
export type OperatorMessage = Output<typeof OperatorMessage>;

const customersMessage = () => ({
  account_id: IdInput('account'),
  message_id: IdInput('message'),
});

export const getCustomerMessage = act({
  name: 'operator_message_get',
  by: 'operator',
  roles: ['support', 'money'],
  input: customersMessage,
  output: OperatorMessage,
});

/** The text of a customer's message. The reader and the reason are stored (docs/threats.md, T48). */
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
      text: z.nullable(z.string()),
    }),
});

export const OperatorToken = schema(() =>
  z.extend(Token(), {
    linked_at: z.nullable(z.coerce.date()),
    waiting: z.int(),
  }),
);
export type OperatorToken = Output<typeof OperatorToken>;

export const getCustomerToken = act({
  name: 'operator_token_get',
  by: 'operator',
  roles: ['support', 'money'],
  input: () => ({ account_id: IdInput('account'), token_id: IdInput('token') }),
  output: OperatorToken,
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
