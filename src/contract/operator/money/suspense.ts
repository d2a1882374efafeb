import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Adjustment, BankReference, Payee } from './desk.ts';
import { Reason } from '#contract/operator/reason.ts';

/** A payment that lies in suspense: ours to hold, not ours to keep. */
export const SuspenseItem = schema(() =>
  z.object({
    provider: z.string(),
    txn: z.string(),
    account_id: Id('account'),
    account_name: z.string(),
    topup_id: Id('topup'),
    amount: Rupiah(),
    at: z.coerce.date(),
    /** What operators noted, newest first. */
    notes: z.array(z.object({ note: z.string(), operator: z.string(), at: z.coerce.date() })),
    /** The proposal about it that waits for a second operator. */
    waiting: z.nullable(Id('adjustment')),
  }),
);
export type SuspenseItem = Output<typeof SuspenseItem>;

export const listSuspense = act({
  name: 'operator_suspense_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({ ...paging(['created_at']) }),
  output: SuspenseItem,
});

const suspenseItem = () => ({
  provider: z.string().check(z.maxLength(40)),
  txn: z.string().check(z.maxLength(200)),
});

/** Into the saldo of the customer who paid twice. */
export const creditSuspense = act({
  name: 'operator_suspense_credit',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ ...suspenseItem(), reason: Reason() }),
  output: Adjustment,
  refuses: ['suspense_resolved', 'account_ended'],
});

/** Back to whom it came from: the transfer was made, and is booked with this. */
export const returnSuspense = act({
  name: 'operator_suspense_return',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    ...suspenseItem(),
    reference: BankReference(),
    payee: Payee(),
    reason: Reason(),
  }),
  output: Adjustment,
  refuses: ['suspense_resolved', 'books_red', 'transfer_reference_used'],
});

/** Stays where it is, with a note of why. */
export const annotateSuspense = act({
  name: 'operator_suspense_keep',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ ...suspenseItem(), reason: Reason() }),
  output: SuspenseItem,
  refuses: ['suspense_resolved'],
});
