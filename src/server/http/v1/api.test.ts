import { expect } from 'vitest';
import { apiEndpoints } from '#contract/rest.ts';
import {
  type Caller,
  callerAt,
  callerOf,
  halo,
  inEnglish,
  test,
} from '#tests/support/app/api-caller.ts';
import { changeTokens } from '#tests/support/people/people.ts';
import { optOut } from '#tests/support/people/stored-messages.ts';

test('a message is accepted, priced, and marked as simulated', async ({ ani }) => {
  const answer = await ani.call('/v1/messages', { body: { ...halo, ref: 'pesanan-1' } });
  expect(answer).toMatchObject({
    status: 202,
    body: { status: 'accepted', price: 150, saldo: 850, ref: 'pesanan-1', simulated: true },
    headers: {
      'x-kabari-simulated': 'true',
      ratelimit: expect.stringMatching(/^"api";r=\d+;t=1$/),
    },
  });
  expect(answer.body.id).toMatch(/^msg_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(answer.headers['x-request-id']).toBeTruthy();

  const one = await ani.call(`/v1/messages/${answer.body.id}`);
  expect(one.body).toMatchObject({ peer: '6281234567890', status: 'queued', ref: 'pesanan-1' });
  expect(one.body.timeline[0]).toMatchObject({ kind: 'accepted' });
});

test('without a type a message has the type of its object', async ({ ani }) => {
  const { to } = halo;
  const send = (body: object) =>
    ani.call('/v1/messages', { body: { to, ...body }, headers: inEnglish });
  const location = { latitude: -6.2, longitude: 106.8 };
  const sent = await send({ location });
  expect(sent.status).toBe(202);
  expect((await ani.call(`/v1/messages/${sent.body.id}`)).body.type).toBe('location');
  const template = await send({ template: { name: 'pesanan_siap', variables: [] } });
  expect(template.body.code).toBe('template_not_found');
  const neither = await send({ location, text: { body: 'Halo' } });
  expect(neither.status).toBe(422);
  expect(Object.keys(neither.body.fields)).toEqual(['type']);
  expect(neither.body.fields.type).toMatch(/^Required: one of "text", "image"/);
  expect(Object.keys((await send({})).body.fields)).toEqual(['text']);
});

test('a scheduled message shows its time and can be cancelled', async ({ ani }) => {
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await ani.call('/v1/messages', { body: { ...halo, send_at } });
  expect(body).toMatchObject({ status: 'scheduled', saldo: 850 });
  const cancelled = await ani.call(`/v1/messages/${body.id}/cancel`, { body: {} });
  expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  const kinds = cancelled.body.timeline.map((step: { kind: string }) => step.kind);
  expect(kinds).toEqual(['accepted', 'scheduled', 'cancelled']);
  expect(cancelled.body.timeline[1].detail).toMatch(/^Untuk \d+ \w+ \d{4}, \d\d\.\d\d WIB$/);
  expect((await ani.call('/v1/balance')).body).toEqual({ available: 1000, held: 0 });
});

test('JSON that is not UTF-8 is refused, not sent with replacement characters', async ({
  ani,
  running,
}) => {
  const text = JSON.stringify(halo).replace('Halo', 'Hal\xf3');
  const answer = await running.app.inject({
    method: 'POST',
    url: '/v1/messages',
    headers: { authorization: `Bearer ${ani.key}`, 'content-type': 'application/json' },
    payload: Buffer.from(text, 'latin1'),
  });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({
    code: 'request_malformed',
    detail: 'Permintaan tidak dapat dibaca: isinya bukan UTF-8.',
  });
  expect((await ani.call('/v1/balance')).body).toEqual({ available: 1000, held: 0 });
});

test('the same key and body get the first answer; another body is refused', async ({ ani }) => {
  const headers = { 'idempotency-key': 'pesanan-77' };
  const first = await ani.call('/v1/messages', { body: halo, headers });
  const again = await ani.call('/v1/messages', { body: halo, headers });
  expect(again.body).toEqual(first.body);
  expect(again.headers['idempotent-replayed']).toBe('true');
  const other = await ani.call('/v1/messages', {
    body: { ...halo, text: { body: 'Lain' } },
    headers,
  });
  expect(other).toMatchObject({
    status: 409,
    body: { code: 'idempotency_conflict', retryable: false },
  });
  expect((await ani.call('/v1/balance')).body).toEqual({ available: 850, held: 150 });
});

test('each of many is accepted or refused by itself, and a repeat gets the same reply', async ({
  ani,
}) => {
  const messages = [
    halo,
    { to: 'bukan nomor', text: { body: 'x' } },
    { ...halo, type: 'surat' },
    halo,
  ];
  const headers = { 'idempotency-key': 'banyak' };
  const answer = await ani.call('/v1/messages', { body: { messages }, headers });
  expect(answer).toMatchObject({
    status: 202,
    body: {
      accepted: 2,
      refused: 2,
      saldo: 700,
      data: [
        { status: 'accepted', price: 150 },
        {
          error: {
            code: 'input_invalid',
            fields: { to: expect.stringContaining('Harus nomor telepon') },
          },
        },
        { error: { code: 'input_invalid', fields: { type: expect.any(String) } } },
        { status: 'accepted' },
      ],
    },
  });
  const again = await ani.call('/v1/messages', { body: { messages }, headers });
  expect(again.body).toEqual(answer.body);
});

test('when none of many is accepted, the first refusal determines the status', async ({ ani }) => {
  const messages = [
    { to: 'x', text: { body: 'x' } },
    { to: '0812', text: {} },
  ];
  const answer = await ani.call('/v1/messages', { body: { messages } });
  expect(answer).toMatchObject({ status: 422, body: { code: 'input_invalid', data: [{}, {}] } });
});

test('every refusal of the API has its own status and sentence, and changes nothing', async ({
  ani,
  db,
}) => {
  const cases: [Parameters<Caller['call']>, number, string, RegExp][] = [
    [['/v1/messages', { body: '{"to":' }], 400, 'request_malformed', /JSON-nya tidak lengkap/],
    [['/v1/messages', { body: '[]' }], 400, 'request_malformed', /objek JSON/],
    [
      ['/v1/messages', { body: halo, headers: { authorization: 'Bearer salah' } }],
      401,
      'token_invalid',
      /Kunci API tidak dikenal/,
    ],
    [
      ['/v1/messages', { body: halo, headers: { authorization: '' } }],
      401,
      'token_missing',
      /Authorization: Bearer/,
    ],
    [
      ['/v1/messages', { body: 'to=1', headers: { 'content-type': 'text/plain' } }],
      415,
      'media_type_unsupported',
      /application\/json/,
    ],
    [['/v1/messages', { body: { ...halo, biaya: 0 } }], 422, 'input_invalid', /perlu diperbaiki/],
    [['/v1/messages', { body: { ...halo, ttl: 1 } }], 422, 'input_invalid', /perlu diperbaiki/],
    [['/v1/messages', { body: { messages: [] } }], 422, 'input_invalid', /perlu diperbaiki/],
    [
      ['/v1/messages', { body: { messages: Array.from({ length: 1001 }, () => halo) } }],
      422,
      'input_invalid',
      /perlu diperbaiki/,
    ],
    [
      ['/v1/messages', { body: halo, headers: { 'idempotency-key': 'a b' } }],
      422,
      'input_invalid',
      /perlu diperbaiki/,
    ],
    [
      [
        '/v1/messages',
        { body: JSON.stringify({ ...halo, text: { body: 'x'.repeat(1_100_000) } }) },
      ],
      413,
      'body_too_large',
      /1\.048\.576 byte/,
    ],
    [['/v1/messages/msg_tidakada'], 404, 'not_found', /Pesan tidak ditemukan/],
    [['/v1/messages?limit=1000'], 422, 'input_invalid', /perlu diperbaiki/],
    [['/v1/apa-saja'], 404, 'path_unknown', /tidak ada di API/],
  ];
  for (const [asked, status, code, sentence] of cases) {
    const answer = await ani.call(...asked);
    expect(answer, JSON.stringify(asked).slice(0, 120)).toMatchObject({
      status,
      body: { code, status },
    });
    expect(answer.body.detail).toMatch(sentence);
    expect(answer.body.request_id).toBeTruthy();
    expect(answer.headers['content-type']).toContain('application/problem+json');
  }
  expect(await db.allAccountsSql`select count(*) from messages where direction = 'out'`).toEqual([
    { count: 0 },
  ]);
  expect((await ani.call('/v1/balance')).body).toEqual({ available: 1000, held: 0 });
});

test('saldo, limit, opt-out, link and suspension each have their own refusal', async ({
  ani,
  db,
}) => {
  const send = (extra = {}) => ani.call('/v1/messages', { body: { ...halo, ...extra } });
  await optOut(db.allAccountsSql, ani, '6281234567891');
  expect(await send({ to: '081234567891' })).toMatchObject({
    status: 409,
    body: { code: 'recipient_opted_out' },
  });

  await send({ ref: 'r' });
  expect(await send({ ref: 'r' })).toMatchObject({ status: 202, body: { duplicate: true } });
  expect(await send({ ref: 'r', text: { body: 'Lain' } })).toMatchObject({
    status: 409,
    body: { code: 'ref_conflict' },
  });
  for (let n = 0; n < 4; n++) expect((await send()).status).toBe(202);
  expect(await send()).toMatchObject({ status: 429, body: { code: 'token_limit_reached' } });

  await changeTokens(db.allAccountsSql, ani, { dailyLimit: 1000 });
  expect((await send()).status).toBe(202);
  const short = await send();
  expect(short).toMatchObject({ status: 402, body: { code: 'saldo_short' } });
  expect(short.body.detail).toContain('perlu Rp\u00a0150, tersedia Rp\u00a0100');

  await changeTokens(db.allAccountsSql, ani, { status: 'unlinked' });
  expect(await send()).toMatchObject({ status: 409, body: { code: 'token_not_linked' } });
});

test("one token never sees another's messages", async ({ running, ani, db }) => {
  const budi = await callerOf(running, db, { saldo: 1000 });
  const { body } = await ani.call('/v1/messages', { body: halo });
  expect(await budi.call(`/v1/messages/${body.id}`)).toMatchObject({ status: 404 });
  expect(await budi.call(`/v1/messages/${body.id}/cancel`, { body: {} })).toMatchObject({
    status: 404,
  });
  expect((await budi.call('/v1/messages')).body.data).toEqual([]);
  expect((await ani.call('/v1/messages')).body.data).toHaveLength(1);
});

test('too many requests get the seconds to wait', async ({ db, openApp }) => {
  const container = await openApp({ env: { RATE_API_PER_SECOND: '2' } });
  const ani = await callerOf(container, db, { saldo: 1000 });
  const asked = Array.from({ length: 40 }, () => ani.call('/v1/balance'));
  const answers = await Promise.all(asked);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused).toMatchObject({
    body: { code: 'too_many_requests', retryable: true },
    headers: { 'retry-after': expect.anything(), 'ratelimit-policy': '"api";q=4;w=2' },
  });
});

test('a text that cannot be stored is named, also where it is a whole message or a name', async ({
  ani,
}) => {
  const whole = await ani.call('/v1/messages', { body: { messages: ['\u0000', halo] } });
  expect(whole.body.data[0].error.fields).toHaveProperty('message');
  expect(whole.body.data[1]).toMatchObject({ status: 'accepted' });
  const name = await ani.call('/v1/messages', { body: { messages: [halo], 'x\u0000': 1 } });
  expect([name.status, Object.keys(name.body.fields)]).toEqual([422, ['x\uFFFD']]);
});

test('a repeated key of any other POST gets the first answer; with another request it is refused', async ({
  ani,
}) => {
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = async () =>
    (await ani.call('/v1/messages', { body: { ...halo, send_at } })).body.id as string;
  const [one, other] = [await scheduled(), await scheduled()];
  const headers = { 'idempotency-key': 'batal-1' };
  const cancel = (id: string) => ani.call(`/v1/messages/${id}/cancel`, { body: {}, headers });
  const first = await cancel(one);
  expect(first).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  const again = await cancel(one);
  expect(again).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } });
  expect(again.text).toBe(first.text);
  expect(await cancel(other)).toMatchObject({
    status: 409,
    body: { code: 'idempotency_conflict' },
  });
  const { body } = await ani.call(`/v1/messages/${other}`);
  expect(body.status).toBe('scheduled');
});

test('a refusal is not stored: its key may be used again', async ({ ani }) => {
  const headers = { 'idempotency-key': 'batal-2' };
  const missing = '/v1/messages/msg_01KB3Y6QJ4T0X9V2M8ZC5W7D1E/cancel';
  for (const _ of [1, 2]) {
    const answer = await ani.call(missing, { body: {}, headers });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(answer.headers['idempotent-replayed']).toBe(undefined);
  }
});

test('the OpenAPI document is public, in both languages, with every endpoint', async ({
  running,
}) => {
  const call = callerAt(running);
  const [id, en] = [
    await call('/v1/openapi.json'),
    await call('/v1/openapi.json', { headers: inEnglish }),
  ];
  expect([id.status, en.status]).toEqual([200, 200]);
  expect(id.body.openapi).toBe('3.1.0');
  expect(id.body.paths['/v1/balance'].get.summary).toBe('Saldo akun');
  expect(en.body.paths['/v1/balance'].get.summary).toBe("The account's saldo");
  const operations = Object.entries<object>(en.body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const declared = Object.values(apiEndpoints).map(
    ({ method, path }) => `${method} ${path.replace(':id', '{id}')}`,
  );
  expect(operations.toSorted()).toEqual(declared.toSorted());
  expect(await call('/v1/openapi.json', { body: {} })).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD, OPTIONS' },
  });
});
