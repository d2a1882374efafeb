import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Invoice } from '#contract/billing.ts';
import {
  Direction,
  Failure,
  MessageStatus,
  MessageType,
  TimelineStep,
} from '#contract/messages.ts';
import { Topup } from '#contract/saldo.ts';
import { Token } from '#contract/tokens.ts';
import { Reason } from '#contract/operator/reason.ts';

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
