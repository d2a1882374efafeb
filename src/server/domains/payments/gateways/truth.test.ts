import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import type { GatewayStatus, PaymentGateway } from '#server/domains/payments/gateways/gateway.ts';
import { receiveNotice, workInbox } from '#server/domains/payments/gateways/inbox.ts';
import { midtransSignature, verifyMidtrans } from '#server/domains/payments/gateways/midtrans.ts';
import { gatewaysOf } from '#server/domains/payments/gateways/registry.ts';
import { newId } from '#server/infra/ids.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { MORNING, saldoOf } from '#tests/support/money/topups.ts';
import { pollOrders, openSettle } from '#server/domains/payments/gateways/orders.ts';

const KEY = 'SB-Mid-server-of-this-test';
const TOTAL = 50_000;

const words = ['pending', 'settlement', 'settlement', 'expire', 'cancel', 'refund'] as const;
const codes = { pending: '201', settlement: '200', expire: '202', cancel: '200', refund: '200' };

const truths: readonly { status: Omit<GatewayStatus, 'txnId'>; ends: string; flag: boolean }[] = [
  { status: { state: 'paid', amount: rupiah(TOTAL) }, ends: 'paid', flag: false },
  { status: { state: 'expired' }, ends: 'expired', flag: false },
  { status: { state: 'cancelled' }, ends: 'cancelled', flag: false },
  { status: { state: 'pending' }, ends: 'pending', flag: false },
  { status: { state: 'paid', amount: rupiah(TOTAL - 1) }, ends: 'review', flag: false },
  { status: { state: 'refunded' }, ends: 'review', flag: true },
];

function ordersOf<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one, at) =>
    ordersOf([...all.slice(0, at), ...all.slice(at + 1)]).map((rest) => [one, ...rest]),
  );
}

type Case = { topupId: string; orderId: string; order: number[]; truth: number };

async function manyOrders(db: TestDatabase): Promise<{ accountId: string; cases: Case[] }> {
  const { accountId } = await customerWith(db.allAccountsSql);
  const cases = ordersOf([0, 1, 2, 3, 4, 5]).map((order, at) => {
    const topupId = newId();
    return { topupId, orderId: publicId('topup', topupId), order, truth: at % truths.length };
  });
  const ids = cases.map(({ topupId }) => topupId);
  const later = new Date(MORNING.getTime() + 86_400_000);
  await db.owner`
    insert into topups (
      account_id, topup_id, request_key, status, method, provider, simulated, base, ppn,
      unique_code, total, credited, income, qr, created_at, expires_at
    )
    select ${accountId}, id, id, 'pending', 'qris', 'midtrans', true, ${TOTAL}, 0, 0, ${TOTAL},
      ${TOTAL}, 0, '000201', ${MORNING}, ${later}
    from unnest(${ids}::uuid[]) id`;
  await db.owner`
    insert into gateway_orders (account_id, topup_id, provider, next_poll_at)
    select ${accountId}, id, 'midtrans', ${later} from unnest(${ids}::uuid[]) id`;
  return { accountId, cases };
}

/** A notice with a genuine signature; a tampered one has another status than the signed one. */
function noticeOf({ orderId }: Case, place: number, isTampered: boolean): Buffer {
  const word = words[place] ?? 'pending';
  const signed = {
    order_id: orderId,
    status_code: codes[word],
    gross_amount: `${TOTAL}.00`,
  };
  return Buffer.from(
    JSON.stringify({
      ...signed,
      signature_key: midtransSignature(signed, KEY),
      transaction_id: `txn-${orderId}`,
      transaction_status: isTampered ? 'settlement' : word,
    }),
  );
}

test('the final state follows the gateway’s truth, with notices in any order, repeated, missing or tampered', async ({
  sql,
  db,
}) => {
  const { accountId, cases } = await manyOrders(db);
  const byId = new Map(cases.map((one) => [one.orderId, one]));
  const gateway: PaymentGateway = {
    provider: 'midtrans',
    simulated: true,
    keptHeaders: [],
    verify: (_headers, raw) => verifyMidtrans(raw, KEY),
    create: async () => ({ outcome: 'taken' }),
    cancel: async () => undefined,
    fetchStatus: async ({ orderId }) => {
      const truth = truths[byId.get(orderId)?.truth ?? 0];
      return { ...(truth?.status ?? { state: 'not_found' }), txnId: `txn-${orderId}` };
    },
  };
  let at = MORNING;
  const troubles: unknown[] = [];
  const told = {
    allAccountsSql: sql,
    now: () => at,
    report: (trouble: unknown) => void troubles.push(trouble),
  };
  const deps = { ...told, gateways: gatewaysOf([gateway]), settle: openSettle(told) };
  for (let place = 0; place < words.length; place++) {
    await Promise.all(
      cases.map(async (one, number) => {
        const isLost = (number + place) % 7 === 0;
        const raw = noticeOf(one, one.order[place] ?? 0, (number + place) % 5 === 0);
        if (!isLost) await receiveNotice(deps, 'midtrans', { headers: {}, raw });
      }),
    );
    const work = async () => {
      while ((await workInbox(deps)) > 0);
    };
    await Promise.all([work(), work()]);
  }
  expect(await sql`select from payment_inbox where processed_at is null`).toEqual([]);

  const ends = await sql<{ topup_id: string; status: string; flagged: boolean }[]>`
    select topup_id, status, flag is not null as flagged
    from topups join gateway_orders using (account_id, topup_id)`;
  const ended = new Map(ends.map((row) => [row.topup_id, row]));
  const wrong = cases.filter(({ topupId, truth }) => {
    const { status, flagged } = ended.get(topupId) ?? {};
    return status !== truths[truth]?.ends || flagged !== truths[truth]?.flag;
  });
  expect(wrong).toEqual([]);
  const paid = cases.length / truths.length;
  expect(await saldoOf(sql, accountId)).toEqual({ available: paid * TOTAL, topups: paid });
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);

  // Late money: all unpaid orders are paid now, and only the last poll finds it.
  for (const one of cases) one.truth = 0;
  at = new Date(MORNING.getTime() + 86_400_000);
  while ((await pollOrders(deps)) > 0);
  expect(await sql`select from topups where status <> 'paid'`).toEqual([]);
  expect((await saldoOf(sql, accountId)).topups).toBe(cases.length);
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});
