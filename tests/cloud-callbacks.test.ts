import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { newId } from '#server/infra/ids.ts';
import { publicId } from '#contract/base/ids.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { connectedSender, test } from '#tests/support/meta/cloud-channel.ts';
import type { CloudSender } from '#tests/support/meta/cloud-channel.ts';

const BUDI = '6281234567890';

async function post(
  { callbackUrl, meta }: CloudSender,
  body: string,
  signature:
    | string
    | undefined = `sha256=${createHmac('sha256', meta.appSecret).update(body).digest('hex')}`,
) {
  const response = await fetch(callbackUrl, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      ...(signature !== undefined && { 'x-hub-signature-256': signature }),
    },
  });
  return response.status;
}

const callback = ({ meta }: CloudSender, value: object, number = meta.numbers[0]!.id) =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: meta.wabaId,
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '1', phone_number_id: number },
              ...value,
            },
          },
        ],
      },
    ],
  });

const change = ({ meta }: CloudSender, field: string, value: object) =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: meta.wabaId, changes: [{ field, value }] }],
  });

const status = (id: string, state: string, code?: number) => ({
  id: `wamid.${id}`,
  status: state,
  timestamp: '1749416400',
  recipient_id: BUDI,
  biz_opaque_callback_data: id,
  ...(code !== undefined && { errors: [{ code, title: 'x' }] }),
});

async function sentBy(ani: CloudSender): Promise<string> {
  Object.assign(ani.meta.control.statuses, {
    sentMs: undefined,
    deliveredMs: undefined,
    readMs: undefined,
  });
  ani.meta.control.receiveFrom(BUDI, { type: 'text' });
  await ani.meta.control.settled();
  const { body } = await ani.call('/v1/messages', { body: { to: BUDI, text: { body: 'Halo' } } });
  await ani.becomes(body.id, 'sent');
  return body.id;
}

const chargesOf = async ({ allAccountsSql: sql }: TestDatabase) =>
  (await sql<{ charge_state: string }[]>`select charge_state from messages where price > 0`).map(
    (row) => row.charge_state,
  );

test('ignores callbacks that are not signed with the app’s secret', async ({ ani }) => {
  const id = await sentBy(ani);
  const body = callback(ani, { statuses: [status(id, 'read')] });
  const good = createHmac('sha256', ani.meta.appSecret).update(body).digest('hex');
  const foreign = createHmac('sha256', 'rahasia-orang-lain').update(body).digest('hex');
  const reencoded = createHmac('sha256', ani.meta.appSecret)
    .update(JSON.stringify({ ...JSON.parse(body), emoji: '😀' }))
    .digest('hex');
  for (const signature of [
    '',
    'sha256=',
    `sha256=${good.slice(1)}`,
    `sha256=${good}0`,
    `sha1=${good}`,
    good,
    `sha256=${foreign}`,
    `sha256=${reencoded}`,
  ]) {
    expect(await post(ani, body, signature)).toBe(401);
  }
  const { body: message } = await ani.call(`/v1/messages/${id}`);
  expect(message.status).toBe('sent');
  expect(await post(ani, body)).toBe(200);
  await ani.becomes(id, 'read');
});

test('reports an unknown address, and a body that is no callback', async ({ ani }) => {
  const elsewhere = { ...ani, callbackUrl: ani.callbackUrl.replace(/.{6}$/, 'xxxxxx') };
  expect(await post(elsewhere, callback(ani, {}))).toBe(404);
  for (const body of [
    '',
    '{',
    '[]',
    'null',
    '{"object":"page"}',
    '{"object":"instagram","entry":[]}',
    `{"object":"whatsapp_business_account","\\u0000":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ]) {
    expect(await post(ani, body)).toBe(400);
  }
  const odd = [
    { entry: 'x' },
    { entry: [null, 7, { changes: 'x' }, { id: 1, changes: [null, { field: 7, value: null }] }] },
  ];
  for (const one of odd) {
    const body = JSON.stringify({ object: 'whatsapp_business_account', ...one });
    expect(await post(ani, body)).toBe(200);
  }
});

test('reaches the same state for statuses in any order and number', async ({ ani }) => {
  const orders = [
    ['sent', 'delivered', 'read'],
    ['read', 'delivered', 'sent'],
    ['delivered', 'sent', 'delivered', 'read', 'read'],
    ['read', 'failed', 'sent'],
  ];
  for (const order of orders) {
    const id = await sentBy(ani);
    for (const state of order) {
      const code = state === 'failed' ? 131026 : undefined;
      expect(await post(ani, callback(ani, { statuses: [status(id, state, code)] }))).toBe(200);
    }
    const { body } = await ani.call(`/v1/messages/${id}`);
    expect([body.status, body.price]).toEqual(['read', 150]);
  }
});

test('stores a thousand repeats of an inbound message as one message', async ({ ani }) => {
  const message = {
    from: BUDI,
    id: 'wamid.sama',
    timestamp: '1749416383',
    type: 'text',
    text: { body: '🎂 Halo' },
  };
  const body = callback(ani, {
    contacts: [{ wa_id: BUDI, profile: { name: 'Budi' } }],
    messages: [message],
  });
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(ani, body)));
    expect(new Set(answers)).toEqual(new Set([200]));
  }
  const { body: shown } = await ani.call('/v1/messages?direction=in&limit=10');
  expect(shown.data).toHaveLength(1);
  expect(shown.data[0].content.text).toBe('🎂 Halo');
});

test('skips a message whose id is not one of Meta’s, and gets it no more', async ({ ani }) => {
  const id = randomBytes(4_000).toString('base64');
  const message = { from: BUDI, id, timestamp: '1749416383', type: 'text', text: { body: 'Halo' } };
  expect(await post(ani, callback(ani, { messages: [message] }))).toBe(200);
  expect((await ani.call('/v1/messages?direction=in&limit=1')).body.data).toEqual([]);
});

test('applies statuses only to messages that their own number has sent', async ({
  ani,
  running,
  db,
}) => {
  const id = await sentBy(ani);
  const budi = await connectedSender(running, ani.meta, { db, number: 1 });
  const body = callback(
    budi,
    { statuses: [status(id, 'failed', 131026)] },
    ani.meta.numbers[1]!.id,
  );
  expect(await post(budi, body)).toBe(200);
  const foreign = callback(budi, { statuses: [status(id, 'read')] });
  expect(await post(budi, foreign)).toBe(200);
  const { body: message } = await ani.call(`/v1/messages/${id}`);
  expect(message.status).toBe('sent');
});

test('leaves nothing behind for statuses of unknown messages', async ({ ani, db }) => {
  const { allAccountsSql: sql } = db;
  const own = await sentBy(ani);
  const refs = async () =>
    (await sql<{ wamid: string }[]>`select wamid from cloud_refs`).map(({ wamid }) => wamid);
  await waitFor(async () => expect(await refs()).toHaveLength(1));
  await sql`delete from cloud_refs`;
  const unknown = ['sent', 'delivered', 'failed'].map((state) =>
    status(publicId('message', newId()), state),
  );
  const statuses = [...unknown, status(own, 'sent')];
  expect(await post(ani, callback(ani, { statuses }))).toBe(200);
  // The message whose answer may be lost is known from here on.
  await waitFor(async () => expect(await refs()).toEqual([`wamid.${own}`]));
  expect(await sql`select 1 from parked_receipts`).toEqual([]);
  // A known status is not published again.
  const reencoded = { ...status(own, 'sent'), id: 'wamid.lain' };
  expect(await post(ani, callback(ani, { statuses: [reencoded] }))).toBe(200);
  expect(await refs()).toEqual([`wamid.${own}`]);
});

test('marks a message that Meta took and could not deliver as sent, failed and charged, in any order', async ({
  ani,
  db,
}) => {
  for (const states of [['failed'], ['sent', 'failed'], ['failed', 'sent']]) {
    const id = await sentBy(ani);
    for (const state of states) {
      const code = state === 'failed' ? 131049 : undefined;
      expect(await post(ani, callback(ani, { statuses: [status(id, state, code)] }))).toBe(200);
    }
    const { body } = await ani.call(`/v1/messages/${id}`);
    expect([body.status, body.failure.code]).toEqual(['failed', 'network_declined']);
  }
  expect(await chargesOf(db)).toEqual(['captured', 'captured', 'captured']);
});

test('gives no free message to an owner who signs a failure while it is on its way', async ({
  ani,
  db,
}) => {
  // The fake accepts messages to this number, and never answers the try.
  const slow = '6281234990007';
  const { control } = ani.meta;
  Object.assign(control.statuses, { sentMs: undefined, deliveredMs: undefined, readMs: undefined });
  control.receiveFrom(slow, { type: 'text' });
  await control.settled();
  const { body } = await ani.call('/v1/messages', { body: { to: slow, text: { body: 'Halo' } } });
  expect(await post(ani, callback(ani, { statuses: [status(body.id, 'failed', 131026)] }))).toBe(
    200,
  );
  await ani.becomes(body.id, 'failed');
  expect(await chargesOf(db)).toEqual(['captured']);
});

test('shows and charges a late failure of a message that was given up', async ({ ani, db }) => {
  ani.meta.control.receiveFrom(BUDI, { type: 'text' });
  await ani.meta.control.settled();
  const { body: placed } = await ani.call('/v1/messages', {
    body: { to: BUDI, text: { body: 'Halo' }, send_at: new Date(Date.now() + 3_600_000) },
  });
  await ani.call(`/v1/messages/${placed.id}/cancel`, { body: {} });
  const payload = callback(ani, { statuses: [status(placed.id, 'failed', 131026)] });
  expect(await post(ani, payload)).toBe(200);
  const { body } = await ani.call(`/v1/messages/${placed.id}`);
  expect([body.status, body.failure?.code]).toEqual(['failed', 'not_on_whatsapp']);
  expect(await chargesOf(db)).toEqual(['captured']);
});

test('stores only a bounded number of rows for made-up codes', async ({ ani, db }) => {
  const statuses = Array.from({ length: 1_000 }, (_, code) =>
    status(publicId('message', newId()), 'failed', code + 0.5),
  );
  expect(await post(ani, callback(ani, { statuses }))).toBe(200);
  await ani.running.container.channels.health.close();
  const counted = await db.allAccountsSql<{ code: string; answers: number }[]>`
    select code, answers::int from provider_answers`;
  expect(counted).toHaveLength(101);
  expect(counted.find(({ code }) => code === 'other')).toEqual({ code: 'other', answers: 900 });
});

test('reads templates again once, however much a callback reports about them', async ({ ani }) => {
  const { control, wabaId } = ani.meta;
  await waitFor(async () =>
    expect((await ani.call('/v1/templates')).body.data.length).toBeGreaterThan(0),
  );
  const before = control.calls().length;
  const payload = { field: 'message_template_status_update', value: { event: 'APPROVED' } };
  const changes = Array.from({ length: 200 }, () => payload);
  const entry = [{ id: wabaId, changes }];
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
  expect(await post(ani, body)).toBe(200);
  expect(control.calls().length - before).toBe(1);
});

test('takes a callback with unstorable values or odd names once', async ({ ani, db }) => {
  const id = await sentBy(ani);
  const odd = [
    callback(ani, { statuses: [status(id, 'constructor'), status(id, '__proto__')] }),
    callback(ani, { statuses: [{ ...status(id, 'sent'), id: 'wamid.\u0000\ud800' }] }),
    callback(ani, {
      messages: [
        {
          from: BUDI,
          id: 'wamid.\u0000',
          timestamp: '1749416383',
          type: 'text',
          text: { body: 'a\u0000b' },
          context: { id: 'wamid.\u0000\udfff' },
        },
      ],
    }),
    change(ani, 'account_update', {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ expiration: 8_640_000_000_000 }],
    }),
    change(ani, 'account_update', { event: '\u0000\ud800', ban_info: { waba_ban_state: 'x' } }),
  ];
  for (const body of odd) expect(await post(ani, body)).toBe(200);
  await ani.running.container.channels.health.close();
  const codes = await db.allAccountsSql`select code from provider_answers order by code`;
  expect(codes.map(({ code }) => code)).toEqual(['ACCOUNT_RESTRICTION', '\ufffd\ufffd']);
  const [restricted] =
    await db.allAccountsSql`select restriction, restricted_until from connections`;
  expect(restricted).toEqual({ restriction: 'blocked', restricted_until: null });
});

test('answers the handshake with the challenge for the right token only', async ({ ani }) => {
  const ask = async (query: Record<string, string>) => {
    const response = await fetch(`${ani.callbackUrl}?${new URLSearchParams(query).toString()}`);
    return [response.status, await response.text()];
  };
  const right = {
    'hub.mode': 'subscribe',
    'hub.challenge': '1158201444',
    'hub.verify_token': ani.verifyToken,
  };
  expect(await ask(right)).toEqual([200, '1158201444']);
  for (const wrong of [
    { ...right, 'hub.verify_token': 'salah' },
    { ...right, 'hub.mode': 'unsubscribe' },
    { ...right, 'hub.challenge': '<script>alert(1)</script>' },
    {},
  ]) {
    expect((await ask(wrong as Record<string, string>))[0]).toBe(403);
  }
});

test('ignores callbacks of an unlinked number, and deletes its secrets', async ({
  ani,
  running,
  db,
}) => {
  await ani.ask('token_unlink', { token_id: publicId('token', ani.tokenId) });
  // A number is cached for two seconds.
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  expect(await post(ani, callback(ani, {}))).toBe(404);
  await running.container.channels.cloud.check();
  expect(await db.allAccountsSql`select 1 from cloud_numbers`).toEqual([]);
});

test('stores no secret of a number in plain text', async ({ ani, db }) => {
  const rows = await db.allAccountsSql`select to_jsonb(n)::text as row from cloud_numbers n`;
  const text = JSON.stringify(rows);
  for (const secret of [ani.meta.token, ani.meta.appSecret, ani.verifyToken]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('hex'));
  }
});
