import { describe, expect } from 'vitest';
import { type GatewayApp, test } from '#tests/support/money/gateway-app.ts';
import {
  type SimulatedOrder,
  midtransNotice,
} from '#server/domains/payments/gateways/simulated.ts';

const MIDTRANS = '/callbacks/midtrans';
const XENDIT = '/callbacks/xendit';

type Sent = { type?: string; token?: string };

async function post(
  { http }: GatewayApp,
  url: string,
  payload: string | Buffer,
  { type = 'application/json', token }: Sent = {},
): Promise<number> {
  const headers = {
    'content-type': type,
    ...(token !== undefined && { 'x-callback-token': token }),
  };
  return (await http.inject({ method: 'POST', url, payload, headers })).statusCode;
}

async function genuine(app: GatewayApp): Promise<{ order: SimulatedOrder; body: object }> {
  const { topup } = await app.placed('qris');
  const order = app.fake.book.find(topup.id);
  if (!order) throw new Error('no order');
  return { order, body: midtransNotice(order, 'pending', app.fake.keys.serverKey) };
}

const inbox = async ({ deps }: GatewayApp): Promise<number> => {
  const [row] = await deps.allAccountsSql<{ n: number }[]>`select count(*) as n from payment_inbox`;
  return row?.n ?? 0;
};

describe('a callback', () => {
  test('is stored once, with any declared content type', async ({ openGateway }) => {
    const app = await openGateway();
    const { body } = await genuine(app);
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      expect(await post(app, MIDTRANS, JSON.stringify(body), { type })).toBe(200);
    }
    expect(await inbox(app)).toBe(1);
  });

  test('with any signed field changed is forged, and only counted', async ({ openGateway }) => {
    const app = await openGateway();
    const { body } = await genuine(app);
    for (const change of [
      { order_id: 'TU-00000000000000000000000000' },
      { status_code: '200' },
      { gross_amount: '1.00' },
      { signature_key: 'f'.repeat(128) },
      { signature_key: 'short' },
    ]) {
      expect(await post(app, MIDTRANS, JSON.stringify({ ...body, ...change }))).toBe(401);
    }
    expect(app.outcomes).toEqual(Array.from({ length: 5 }, () => 'forged'));
    expect(await inbox(app)).toBe(0);
  });

  test('of Xendit needs the exact token', async ({ openGateway }) => {
    const app = await openGateway();
    const body = JSON.stringify({ id: 'a', external_id: 'b', status: 'PAID' });
    const token = app.fake.keys.callbackToken;
    expect(await post(app, XENDIT, body)).toBe(401);
    for (const wrong of ['', token.slice(1), `${token} x`, token.toUpperCase() + '0']) {
      expect(await post(app, XENDIT, body, { token: wrong })).toBe(401);
    }
    expect(await inbox(app)).toBe(0);
    expect(await post(app, XENDIT, body, { token })).toBe(200);
    expect(await inbox(app)).toBe(1);
  });

  test('that is no notification is refused, and breaks nothing', async ({ openGateway }) => {
    const app = await openGateway();
    const { body } = await genuine(app);
    const token = app.fake.keys.callbackToken;
    const text = JSON.stringify(body);
    const odd: (string | Buffer)[] = [
      '',
      'null',
      '[]',
      '"a text"',
      '{',
      '{"order_id":{"a":1},"status_code":"200"}',
      '{"__proto__":{"order_id":"a"},"constructor":{"prototype":{}}}',
      `${'['.repeat(30_000)}`,
      Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
      text.replace('"order_id":"TU-', '"order_id":"\\ud800TU-'),
      text.replace('"order_id":"TU-', '"order_id":"\\u0000TU-'),
      text.replace(/"gross_amount":"[^"]*"/, '"gross_amount":50000'),
    ];
    for (const payload of odd) {
      expect([String(payload).slice(0, 40), await post(app, MIDTRANS, payload)]).toEqual([
        String(payload).slice(0, 40),
        400,
      ]);
      expect(await post(app, XENDIT, payload, { token })).toBe(400);
    }
    const half = JSON.stringify({ id: '\ud800', external_id: 'a\u0000', status: 'PAID' });
    expect(await post(app, XENDIT, half, { token })).toBe(400);
    expect(await post(app, MIDTRANS, 'x'.repeat(65_537))).toBe(413);
    expect(await inbox(app)).toBe(0);
    expect(app.troubles).toEqual([]);
    expect(Object.prototype).not.toHaveProperty('order_id');
  });

  test('with names of prototypes among its fields is stored like any other', async ({
    openGateway,
  }) => {
    const app = await openGateway();
    const { body } = await genuine(app);
    const text = JSON.stringify(body).replace('{', '{"__proto__":{"polluted":1},"toString":"x",');
    expect(await post(app, MIDTRANS, text)).toBe(200);
    expect({}).not.toHaveProperty('polluted');
  });

  test('that cannot be stored is answered so that the gateway retries', async ({
    openGateway,
    db,
  }) => {
    const app = await openGateway();
    const { body } = await genuine(app);
    await db.owner`alter table payment_inbox rename to away`;
    expect(await post(app, MIDTRANS, JSON.stringify(body))).toBe(503);
    await db.owner`alter table away rename to payment_inbox`;
    expect(await post(app, MIDTRANS, JSON.stringify(body))).toBe(200);
  });
});
