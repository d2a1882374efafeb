import { describe, expect, test as plain } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import type { TopupMethod } from '#contract/saldo.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { paymentsActs } from '#server/domains/payments/payments.ts';
import { test } from '#tests/support/money/gateway-app.ts';
import { refundPayment } from '#tests/support/money/refunds.ts';
import { idOf, perform, saldoOf } from '#tests/support/money/topups.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { codeOf, refusalOf, statusOf, midtransSignature, verifyMidtrans } from './midtrans.ts';
import { nextPollAt, retryAt } from './orders.ts';
import { wholeRupiah, wibText, wibTime } from './wire.ts';

const methods = [
  'qris',
  'va_bca',
  'va_bni',
  'va_bri',
  'va_cimb',
  'va_permata',
  'snap',
  'xendit',
] as const satisfies readonly TopupMethod[];

describe('every method', () => {
  for (const method of methods) {
    test(`${method}: is created, shown, paid and credited once`, async ({ sql, openGateway }) => {
      const app = await openGateway({ ppn: true });
      const { owner, topup } = await app.placed(method);
      expect(topup).toMatchObject({
        status: 'pending',
        method,
        simulated: true,
        bank: null,
        unique_code: 0,
        ppn: 5_500,
        total: 55_500,
        credited: 50_000,
      });
      const shown = [topup.qr, topup.va, topup.page_url].filter((one) => one !== null);
      expect(shown).toHaveLength(1);
      if (method === 'qris') expect(topup.qr).toMatch(/^000201/);
      else if (method.startsWith('va_')) expect(topup.va?.bank).toBe(method.slice(3));
      else expect(topup.page_url).toContain(app.fake.url);

      expect(app.fake.happen(topup.id, 'pay')).toBe(true);
      await app.deliver();
      expect(await app.statusOf(topup)).toBe('paid');
      expect(await saldoOf(sql, owner.accountId)).toEqual({ available: 50_000, topups: 1 });
      const cash = method === 'xendit' ? 'cash:xendit' : 'cash:midtrans';
      expect(await sql`select gl_account, amount from gl_lines order by gl_account`).toEqual([
        { gl_account: cash, amount: 55_500 },
        { gl_account: 'clearing', amount: -50_000 },
        { gl_account: 'liab:ppn', amount: -5_500 },
      ]);
      expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
    });
  }

  test('a payment with a fee imposed by Midtrans is credited without the fee, and refunded in full', async ({
    sql,
    openGateway,
  }) => {
    const app = await openGateway();
    const { owner, topup } = await app.placed('snap', 10_000);
    app.fake.happen(topup.id, 'pay', { imposedFee: 71 });
    await app.deliver();
    expect(await app.statusOf(topup)).toBe('paid');
    expect(await saldoOf(sql, owner.accountId)).toEqual({ available: 10_000, topups: 1 });
    const [payment] = await sql<{ txn_id: string }[]>`select txn_id from provider_payments`;
    const order = {
      accountId: owner.accountId,
      topupId: idOf(topup),
      txnId: payment?.txn_id ?? '',
    };
    expect(await refundPayment(app.deps, order)).toBe('refunded');
    expect(app.fake.book.find(topup.id)).toMatchObject({
      status: 'partial_refund',
      returned: 10_000,
    });
    app.fake.notify(topup.id, 'partial_refund');
    await app.deliver();
    expect(await sql`select flag from gateway_orders`).toEqual([{ flag: null }]);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('a charge whose answer names an imposed fee succeeds', async ({ openGateway }) => {
    const app = await openGateway();
    app.fake.mode.imposedFee = 71;
    const { topup } = await app.placed('qris', 10_000);
    expect(topup).toMatchObject({ status: 'pending', total: 10_000 });
    app.fake.happen(topup.id, 'pay');
    await app.deliver();
    expect(await app.statusOf(topup)).toBe('paid');
  });

  test('lists the configured methods with their limits', async ({ openGateway }) => {
    const app = await openGateway({ ppn: true });
    const { owner } = await app.placed('bank');
    const { methods: offered } = (await perform(
      paymentsActs(app.deps),
      'topup_methods',
      owner,
    )) as { methods: { method: string; maximum: number; minutes: number }[] };
    expect(offered.map(({ method }) => method)).toEqual(['bank', ...methods]);
    const qris = offered.find(({ method }) => method === 'qris');
    expect(qris).toMatchObject({ maximum: 9_009_009, minutes: 30 });
    await expect(app.placed('qris', 9_009_010)).rejects.toMatchObject({
      code: 'topup_amount_unfit',
      facts: { minimum: 10_000, maximum: 9_009_009 },
    });
    await expect(app.placed('qris', 9_009_009)).resolves.toBeDefined();
  });

  test('sends and reads times in WIB, independent of the machine’s time zone', async ({
    openGateway,
  }) => {
    const app = await openGateway();
    const { topup } = await app.placed('qris');
    expect(topup.expires_at).toEqual(new Date('2026-11-21T02:30:00Z'));
    expect(app.fake.book.find(topup.id)?.expiresAt).toEqual(topup.expires_at);
    expect(wibText(new Date('2026-11-21T20:00:00Z'))).toBe('2026-11-22 03:00:00');
    expect(wibTime('2026-11-22 03:00:00')).toEqual(new Date('2026-11-21T20:00:00Z'));
    expect(wibTime('2026-11-22T03:00:00Z')).toBeUndefined();
  });

  test('cancels at the gateway', async ({ openGateway }) => {
    const app = await openGateway();
    for (const method of ['va_bca', 'xendit'] as const) {
      const { owner, topup } = await app.placed(method);
      await perform(paymentsActs(app.deps), 'topup_cancel', owner, { topup_id: topup.id });
      expect(await app.statusOf(topup)).toBe('cancelled');
      await waitFor(() =>
        expect(app.fake.book.find(topup.id)?.status).toBe(
          method === 'xendit' ? 'expire' : 'cancel',
        ),
      );
    }
  });
});

describe('answers and notices of Midtrans', () => {
  const vector = { order_id: 'order-101', status_code: '200', gross_amount: '44000.00' };
  const key = 'SB-Mid-server-abc123cde456';

  plain('the signature of the vendor’s own example', () => {
    const signature = midtransSignature(vector, key);
    expect(signature).toBe(
      'f483fae02dc0f08b6f270b52323ede9ee629f396f11c2819cc57e128c5f69286' +
        'b1f89d259bdd552abaa270f8f021e4abcfe2a54d2c3331481458f9532d7c7c62',
    );
    const body = { ...vector, signature_key: signature, transaction_status: 'settlement' };
    const raw = (more: object = {}) => Buffer.from(JSON.stringify({ ...body, ...more }));
    expect(verifyMidtrans(raw(), key)).toMatchObject({ orderId: 'order-101' });
    for (const name of Object.keys(vector)) {
      expect(verifyMidtrans(raw({ [name]: '201' }), key)).toBe('forged');
    }
    expect(verifyMidtrans(raw(), `${key}x`)).toBe('forged');
    // The signature does not cover the status: the same notice can claim anything.
    expect(verifyMidtrans(raw({ transaction_status: 'cancel' }), key)).toMatchObject({
      dedupe: 'order-101||200|cancel',
    });
    const shouted = { signature_key: signature.toUpperCase(), transaction_status: 'CANCEL' };
    expect(verifyMidtrans(raw({ ...shouted, transaction_id: 'txn-1' }), key)).toEqual({
      orderId: 'order-101',
      txnId: 'txn-1',
      dedupe: 'order-101|txn-1|200|cancel',
    });
    expect(verifyMidtrans(raw(), key)).not.toHaveProperty('txnId');
  });

  plain('a notice that lacks a field, or has odd characters in it, is malformed', () => {
    const whole = { ...vector, signature_key: 'x', transaction_status: 'settlement' };
    expect(verifyMidtrans(Buffer.from(JSON.stringify(whole)), key)).toBe('forged');
    for (const name of Object.keys(whole)) {
      for (const value of [undefined, '', 1, 'x\n', 'x'.repeat(201)]) {
        const raw = Buffer.from(JSON.stringify({ ...whole, [name]: value }));
        expect(verifyMidtrans(raw, key), `${name} ${value}`).toBe('malformed');
      }
    }
    for (const text of ['', 'x', 'null', '[]']) {
      expect(verifyMidtrans(Buffer.from(text), key)).toBe('malformed');
    }
    expect(verifyMidtrans(Buffer.from('{"order_id":"\xff"}', 'latin1'), key)).toBe('malformed');
  });

  const answer = (more: object, status = 200) => ({
    status,
    json: {
      status_code: '200',
      transaction_id: 'txn-1',
      order_id: 'TU-1',
      gross_amount: '55500.00',
      currency: 'IDR',
      transaction_status: 'settlement',
      ...more,
    },
  });
  const ref = { orderId: 'TU-1', providerRef: null };
  const stateOf = (more: object) => statusOf(answer(more), ref).state;

  plain('its states, in any letters, by the code in the body', () => {
    expect(stateOf({})).toBe('paid');
    expect(stateOf({ transaction_status: 'SETTLEMENT', fraud_status: 'ACCEPT' })).toBe('paid');
    expect(stateOf({ transaction_status: 'capture', fraud_status: 'challenge' })).toBe('review');
    expect(stateOf({ status_code: '201' })).toBe('review');
    expect(stateOf({ transaction_status: 'PENDING', status_code: '201' })).toBe('pending');
    expect(stateOf({ transaction_status: 'deny', status_code: '202' })).toBe('pending');
    expect(stateOf({ transaction_status: 'expire', status_code: '407' })).toBe('expired');
    expect(stateOf({ transaction_status: 'partial_refund' })).toBe('refunded');
    expect(
      statusOf(answer({ transaction_status: 'partial_refund', refund_amount: '20000.00' }), ref),
    ).toMatchObject({ state: 'refunded', partly: true, returned: 20_000 });
    expect(stateOf({ transaction_status: 'something new' })).toBe('review');
    expect(stateOf({ status_code: '404' })).toBe('not_found');
    expect(() => stateOf({ status_code: '500' })).toThrow('500');
    expect(() => statusOf({ status: 200, json: undefined }, ref)).toThrow('odd shape');
  });

  plain('another order’s payment is not ours, and one that names no order is reviewed', () => {
    expect(stateOf({ order_id: 'TU-2' })).toBe('not_found');
    expect(stateOf({ order_id: 'txn-1' })).toBe('review');
    expect(stateOf({ order_id: 'txn-1', custom_field1: 'TU-1' })).toBe('paid');
    expect(stateOf({ order_id: 'txn-1', custom_field1: 'TU-2' })).toBe('not_found');
    expect(statusOf(answer({ order_id: 'txn-1' }), { ...ref, providerRef: 'txn-1' }).state).toBe(
      'paid',
    );
  });

  plain('an amount that is not whole rupiah is none', () => {
    expect(statusOf(answer({}), ref).amount).toBe(55_500);
    expect(statusOf(answer({ currency: 'USD' }), ref).amount).toBeUndefined();
    for (const amount of ['55500.50', '-1', '1e5', '0', '', ' 1', '99999999999999999']) {
      expect(wholeRupiah(amount)).toBeUndefined();
    }
    expect(wholeRupiah('111000.00')).toBe(rupiah(111_000));
  });

  plain('a fee that Midtrans imposed on the customer is no part of the amount', () => {
    const paid = (gross: string, info: unknown) =>
      statusOf(
        answer({ gross_amount: gross, metadata: { extra_info: { gross_amount_info: info } } }),
        ref,
      ).amount;
    const info = (original_amount: unknown, gross_amount: unknown, fee: unknown) => ({
      original_amount,
      gross_amount,
      customer_imposed_payment_fee: fee,
    });
    expect(paid('10071.00', info('10000', '10071', '71'))).toBe(10_000);
    expect(paid('10071', info(10_000, 10_071, 71))).toBe(10_000);
    for (const odd of [
      info('10000', '10071', '72'),
      info('10000', '10072', '71'),
      info('10071', '10071', '0'),
      info('10100', '10071', '-29'),
      info('10000', '10071', null),
      'text',
      null,
    ]) {
      expect(paid('10071.00', odd)).toBe(10_071);
    }
  });

  plain('a refusal is one only when it is certain', () => {
    const of = (status_code: string) => ({ status: 200, json: { status_code } });
    expect(refusalOf(of('201'))).toBeUndefined();
    expect(refusalOf(of('406'))).toBe('taken');
    expect(refusalOf(of('402'))).toContain('402');
    for (const code of ['500', '503', '408', '202']) {
      expect(() => refusalOf(of(code))).toThrow(code);
    }
    expect(codeOf({ status: 502, json: undefined })).toBe(502);
  });
});

describe('a request to a gateway', () => {
  const createdAt = new Date('2026-11-21T02:00:00Z');
  const minutes = (at: Date | undefined) => at && (at.getTime() - createdAt.getTime()) / 60_000;
  const all = (expiresInMinutes: number): number[] => {
    const expiresAt = new Date(createdAt.getTime() + expiresInMinutes * 60_000);
    const found: number[] = [];
    for (let at: Date | undefined = createdAt; at;) {
      at = nextPollAt({ createdAt, expiresAt }, at);
      const next = minutes(at);
      if (next !== undefined) found.push(next);
    }
    return found;
  };

  plain('often at first, at the end of its time, and twice after', () => {
    expect(all(30)).toEqual([1, 3, 10, 30, 40, 1_470]);
    expect(all(120)).toEqual([1, 3, 10, 30, 60, 90, 120, 130, 1_560]);
  });

  plain('after trouble with growing pauses, ten minutes at most', () => {
    const pauses = [1, 2, 3, 8, 9, 400].map((tries) => minutes(retryAt(createdAt, tries)));
    expect(pauses).toEqual([5 / 60, 10 / 60, 20 / 60, 10, 10, 10]);
  });
});

test('converts every top-up id to the gateway’s spelling and back', async ({ openGateway }) => {
  const app = await openGateway();
  const { topup } = await app.placed('snap');
  expect((await app.order(topup)).topup_id).toBe(idOf(topup));
});
