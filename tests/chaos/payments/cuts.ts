import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { type Order, orderOf } from './books.ts';
import { holdLock } from './held-lock.ts';
import type { Answer, Person, System, Victim } from './system.ts';

export type Method = 'va_bca' | 'qris' | 'snap' | 'xendit';

export type Payment = {
  system: System;
  person: Person;
  place(): Promise<Answer>;
};

type Release = (victim: Victim) => Promise<void>;

export type Cut = {
  /** Progress so far, as the end of a test name with "when". */
  when: string;
  method: Method;
  /** Brings a payment to this point; resolves once that is proved. */
  reach(payment: Payment): Promise<Release>;
};

export const BASE = 50_000;

export function newPayment(system: System, person: Person, method: Method): Payment {
  const fields = { amount: String(BASE), method, key: randomUUID() };
  return { system, person, place: () => system.ask(person, 'topup_create', fields) };
}

const doNothing = () => undefined;

export const orderIn = ({ system, person }: Payment, status: string): Promise<Order> =>
  waitFor(async () => {
    const order = await orderOf(system, person);
    expect(order.status).toBe(status);
    return order;
  });

/** A top-up that was paid at the gateway while it waited; its notice has not been sent. */
async function paidOutside(payment: Payment): Promise<Order> {
  expect(await payment.place()).toMatchObject({ code: 1, data: { status: 'pending' } });
  const order = await orderIn(payment, 'pending');
  expect(payment.system.fake.happen(order.id, 'pay')).toBe(true);
  return order;
}

const charges = { va_bca: /^POST \/v2\/charge/, qris: /^POST \/v2\/charge/ };
const creates = { ...charges, snap: /^POST \/snap/, xendit: /^POST \/v2\/invoices/ };

const beforeRequest: Cut['reach'] = async (payment) => {
  const hold = payment.system.heldGateway.hold('before', creates.va_bca);
  const placed = payment.place().catch(doNothing);
  await hold.reached;
  const order = await orderIn(payment, 'creating');
  expect(payment.system.fake.book.all(order.id)).toEqual([]);
  return async (victim) => {
    // A request of a dead process ends with it; that of a living one continues.
    if (victim === 'application') hold.drop();
    else hold.release();
    await placed;
  };
};

const beforeAnswered =
  (method: Method): Cut['reach'] =>
  async (payment) => {
    const hold = payment.system.heldGateway.hold('after', creates[method]);
    const placed = payment.place().catch(doNothing);
    await hold.reached;
    const order = await orderIn(payment, 'creating');
    expect(payment.system.fake.book.all(order.id)).toHaveLength(1);
    return async () => {
      hold.release();
      await placed;
    };
  };

const beforeOpened: Cut['reach'] = async (payment) => {
  const { system } = payment;
  const hold = system.heldGateway.hold('before', creates.snap);
  const placed = payment.place().catch(doNothing);
  await hold.reached;
  const { uuid } = await orderIn(payment, 'creating');
  const lock = await holdLock(
    system.resources.owner,
    (tx) => tx`select from topups where topup_id = ${uuid} for update`,
  );
  hold.release();
  await lock.stalls('update topups');
  return async () => {
    await lock.release();
    await placed;
  };
};

const beforeNotice: Cut['reach'] = async (payment) => {
  await paidOutside(payment);
  return async (victim) => {
    // The first delivery reaches no process; after the death of the database the notice is lost for ever.
    if (victim === 'application') await payment.system.fake.queue.flush();
    else payment.system.notices.isLost = true;
  };
};

const beforeStored: Cut['reach'] = async (payment) => {
  const { fake, resources } = payment.system;
  await paidOutside(payment);
  const lock = await holdLock(
    resources.owner,
    (tx) => tx`lock table payment_inbox in exclusive mode`,
  );
  const delivered = fake.queue.flush();
  await lock.stalls('insert into payment_inbox');
  return async () => {
    await lock.release();
    await delivered;
  };
};

const beforeRead: Cut['reach'] = async (payment) => {
  const { fake, heldGateway, notices } = payment.system;
  await paidOutside(payment);
  const hold = heldGateway.hold('before', /^GET \/v2\/.*\/status/);
  await fake.queue.flush();
  expect(notices.answers.at(-1)).toBe(200);
  await hold.reached;
  return async (victim) => {
    if (victim === 'application') hold.drop();
    else hold.release();
  };
};

const beforeApplied =
  (stands: 'wallet' | 'number'): Cut['reach'] =>
  async (payment) => {
    const { fake, notices, resources } = payment.system;
    const { accountId } = payment.person;
    await paidOutside(payment);
    const lock = await holdLock(resources.owner, (tx) =>
      stands === 'wallet'
        ? tx`select from wallets where account_id = ${accountId} for update`
        : tx`lock table invoice_counters in share row exclusive mode`,
    );
    await fake.queue.flush();
    expect(notices.answers.at(-1)).toBe(200);
    await lock.stalls('apply_payments');
    return () => lock.release();
  };

const afterCommit: Cut['reach'] = async (payment) => {
  const { fake, notices } = payment.system;
  await paidOutside(payment);
  notices.losesAnswers = true;
  await fake.queue.flush();
  await orderIn(payment, 'paid');
  return async () => {
    notices.losesAnswers = false;
  };
};

export const cuts: readonly Cut[] = [
  {
    when: 'the order stands here and the gateway has not heard of it',
    method: 'va_bca',
    reach: beforeRequest,
  },
  {
    when: 'Midtrans has made the order and its answer has not come',
    method: 'qris',
    reach: beforeAnswered('qris'),
  },
  {
    when: 'Xendit has made the invoice and its answer has not come',
    method: 'xendit',
    reach: beforeAnswered('xendit'),
  },
  { when: 'the answer has come and is not written down', method: 'snap', reach: beforeOpened },
  { when: 'the customer has paid and nobody was told', method: 'va_bca', reach: beforeNotice },
  { when: 'the notice is being stored', method: 'qris', reach: beforeStored },
  { when: 'the notice is stored and the status is being asked', method: 'qris', reach: beforeRead },
  {
    when: 'the status is known and the saldo is being written',
    method: 'va_bca',
    reach: beforeApplied('wallet'),
  },
  {
    when: 'Xendit’s status is known and the saldo is being written',
    method: 'xendit',
    reach: beforeApplied('wallet'),
  },
  {
    when: 'the saldo is written and the invoice’s number is being taken',
    method: 'snap',
    reach: beforeApplied('number'),
  },
  { when: 'all is committed and the 200 was lost', method: 'qris', reach: afterCommit },
];
