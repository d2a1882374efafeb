import { PNG } from 'pngjs';
import { decodeQR } from 'qr/decode.js';
import { expect } from 'vitest';
import { type Caller, callerOf, test } from '#tests/support/app/api-caller.ts';
import { publicId } from '#contract/base/ids.ts';
import { type DialectCall, ask } from '#tests/support/app/dialect-caller.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { changeTokens } from '#tests/support/people/people.ts';

const sentTexts = async (ani: Caller): Promise<[string, string][]> => {
  const { body } = await ani.call('/v1/messages');
  return body.data
    .map(({ peer, content }: { peer: string; content: { body?: string; text?: string } }) => [
      peer,
      content.body ?? content.text,
    ])
    .toReversed();
};

test('a form, a multipart body, JSON and an address send the same', async ({ ani, running }) => {
  const { key } = ani;
  const fields = { target: '08123456789', message: 'Halo', countryCode: '62' };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const answers = [
    await ask(running, '/send', { key, form: fields }),
    await ask(running, '/send/', { key, multipart: form }),
    await ask(running, '/send', { key, json: fields }),
    await ask(running, `/send?${new URLSearchParams({ ...fields, token: key }).toString()}`, {
      method: 'GET',
    }),
  ];
  for (const { status, body, headers } of answers) {
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        detail: 'success! message in queue',
        id: [expect.stringMatching(/^msg_/)],
        process: 'pending',
        requestid: expect.any(Number),
        status: true,
        target: ['628123456789'],
      },
    });
    expect(headers['cache-control']).toBe('no-store');
  }
  expect(await sentTexts(ani)).toEqual(Array.from({ length: 4 }, () => ['628123456789', 'Halo']));
});

test('rejected targets are named, and the rest is sent', async ({ ani, running }) => {
  const { key } = ani;
  const form = { target: '08123456789|Ani,xyz,08123456788|Budi', message: 'Hai {name}' };
  const { body } = await ask(running, '/send', { key, form });
  expect(body).toMatchObject({
    status: true,
    target: ['628123456789', '628123456788'],
    rejected: [{ target: 'xyz', reason: 'target invalid' }],
  });
  expect(body.id).toHaveLength(2);
  expect(await sentTexts(ani)).toEqual([
    ['628123456789', 'Hai Ani'],
    ['628123456788', 'Hai Budi'],
  ]);
});

test('every refusal is a 200 with its reason', async ({ ani, running }) => {
  const { key } = ani;
  const no = async (asked: DialectCall) => {
    const { status, body, headers } = await ask(running, '/send', asked);
    expect(body).toEqual({
      status: false,
      reason: expect.any(String),
      requestid: expect.any(Number),
    });
    return [status, body.reason, headers['x-kabari-error']];
  };
  const form = { target: '08123456789', message: 'x' };
  expect(await no({ form })).toEqual([200, 'token invalid', 'token_missing']);
  expect(await no({ form, key: 'salah' })).toEqual([200, 'token invalid', 'token_invalid']);
  expect(await no({ key, form: { message: 'x' } })).toEqual([
    200,
    'target invalid',
    'input_invalid',
  ]);
  expect(await no({ key, json: '{' })).toEqual([200, 'JSON format invalid', 'request_malformed']);
  expect(await no({ key, json: '[]' })).toEqual([200, 'JSON format invalid', 'request_malformed']);
  expect(await no({ key, form: { target: '0812345678', url: 'x' } })).toEqual([
    200,
    'url invalid',
    'input_invalid',
  ]);
  expect(await no({ key, headers: { 'content-type': 'text/xml' }, json: 'x' })).toEqual([
    200,
    'file format not supported',
    'media_type_unsupported',
  ]);
  const many = { target: Array.from({ length: 7 }, () => '08123456789').join(','), message: 'x' };
  const { body } = await ask(running, '/send', { key, form: many });
  // The limit is five a day, and the saldo pays for six.
  expect(body.id).toHaveLength(5);
  expect(body.rejected).toEqual([
    { target: '628123456789', reason: 'insufficient quota' },
    { target: '628123456789', reason: 'insufficient quota' },
  ]);
});

test('a device without a phone refuses, unless the caller accepts a delay', async ({
  openApp,
  db,
}) => {
  const running = await openApp();
  const budi = await callerOf(running, db, { saldo: 1000 });
  await changeTokens(db.allAccountsSql, budi, { status: 'disconnected' });
  const form = { target: '08123456789', message: 'x' };
  const { key } = budi;
  const no = { status: false, reason: 'request invalid on disconnected device' };
  expect((await ask(running, '/send', { key, form })).body).toMatchObject(no);
  const waits = { ...form, connectOnly: 'false' };
  expect((await ask(running, '/send', { key, form: waits })).body).toMatchObject({ status: true });
  expect((await ask(running, '/device', { key })).body).toMatchObject({
    device_status: 'disconnect',
  });
});

test('device, status, validate and qr', async ({ ani, running, db }) => {
  const { key } = ani;
  const { body } = await ask(running, '/send', {
    key,
    form: { target: '08123456789', message: 'x' },
  });
  expect((await ask(running, '/device', { key })).body).toMatchObject({
    device: expect.stringMatching(/^62\d+$/),
    device_status: 'connect',
    messages: 1,
    name: expect.any(String),
    quota: '4',
    status: true,
  });
  const [id] = body.id;
  expect((await ask(running, '/status', { key, form: { id } })).body).toEqual({
    id,
    message_status: 'pending',
    status: true,
  });
  const unknown = { id: '2' };
  expect((await ask(running, '/status', { key, form: unknown })).body).toMatchObject({
    status: false,
  });
  const target = '08123456789,123,0812-3456-788';
  expect((await ask(running, '/validate', { key, form: { target } })).body).toEqual({
    registered: ['628123456789', '628123456788'],
    not_registered: ['123'],
    status: true,
  });
  await changeTokens(db.allAccountsSql, ani, { status: 'unlinked', phone: null });
  const qr = await ask(running, '/qr', { key, form: { type: 'qr' } });
  expect(qr.body.status).toBe(true);
  expect(decodeQR(PNG.sync.read(Buffer.from(qr.body.url, 'base64')))).toMatch(/^http.*\/scan\//);
});

test('a key lists only its own token, and unlinks its phone', async ({ ani, db, running }) => {
  const { key } = ani;
  const budi = await callerOf(running, db);
  await changeTokens(db.allAccountsSql, budi, { scopes: ['account.read'] });
  const refused = await ask(running, '/disconnect', { key: budi.key });
  expect([refused.body.reason, refused.headers['x-kabari-error']]).toEqual([
    'token invalid',
    'scope_missing',
  ]);
  const listed = async () => (await ask(running, '/get-devices', { key })).body;
  const device = {
    autoread: 'off',
    device: ani.phone,
    expired: '-',
    name: 'Kasir',
    package: 'Kabari',
    quota: expect.stringMatching(/^\d+$/),
    status: 'connect',
    token: publicId('token', ani.tokenId),
  };
  const list = { connected: 1, data: [device], devices: 1, messages: 0, status: true };
  expect(await listed()).toEqual(list);
  expect((await ask(running, '/disconnect', { key })).body).toEqual({
    detail: 'device disconnected',
    status: true,
  });
  expect(await listed()).toMatchObject({
    connected: 0,
    data: [{ device: '', status: 'disconnect' }],
  });
});

test('a scheduled message can be rescheduled until it is sent', async ({ ani, running }) => {
  const { key } = ani;
  const send = async (more: Record<string, string>) => {
    const form = { target: '08123456789', message: 'x', ...more };
    return (await ask(running, '/send', { key, form })).body.id[0];
  };
  const reset = async (form: Record<string, string>) => {
    const { body, headers } = await ask(running, '/reset-message', { key, form });
    return headers['x-kabari-error'] ?? body;
  };
  const id = await send({ schedule: '4102444800' });
  expect(await reset({ id, schedule: '4102448400', delay: '5-10', byschedule: 'false' })).toEqual({
    detail: 'success! message rescheduled',
    id,
    status: true,
  });
  const shown = (await ani.call(`/v1/messages/${id}`)).body;
  expect(shown).toMatchObject({ status: 'scheduled', send_at: '2100-01-01T01:00:00.000Z' });
  const plans = shown.timeline.filter(({ kind }: { kind: string }) => kind === 'scheduled');
  expect(plans).toHaveLength(2);
  for (const form of [
    { schedule: '1' },
    { id },
    { id, schedule: 'x' },
    { id, schedule: '1', byschedule: 'true' },
  ]) {
    expect(await reset(form)).toBe('input_invalid');
  }
  expect(await reset({ id: 'msg_x', schedule: '0' })).toBe('not_found');
  expect(await reset({ id: await send({}), schedule: '0' })).toBe('message_in_flight');
  expect(await reset({ id, schedule: '0' })).toMatchObject({ status: true });
  expect((await ani.call(`/v1/messages/${id}`)).body.status).toBe('queued');
  await ani.call(`/v1/messages/${id}/cancel`, { method: 'POST' });
  expect(await reset({ id, schedule: '4102444800' })).toBe('message_final');
});

test('every refusal has its true reason, a number, and a row among the rejected calls', async ({
  ani,
  db,
  running,
}) => {
  const { key } = ani;
  const no = async (path: string, form: Record<string, string> = {}) => {
    const { status, body, headers } = await ask(running, path, { key, form });
    expect([status, body.requestid]).toEqual([200, expect.any(Number)]);
    const { requestid: _, ...rest } = body;
    return [headers['x-kabari-error'], rest];
  };
  const refused = (code: string, reason: string) => [code, { reason, status: false }];
  expect(await no('/status')).toEqual(refused('input_invalid', 'id required'));
  expect(await no('/reset-message')).toEqual(refused('input_invalid', 'id required'));
  expect(await no('/qr')).toEqual(refused('token_linked', 'device already connect'));
  await ask(running, '/disconnect', { key });
  expect(await no('/qr', { type: 'code' })).toEqual(
    refused('input_invalid', 'type code is not supported, use qr'),
  );
  for (const path of ['/disconnect', '/disconnect/']) {
    expect(await no(path)).toEqual([
      'token_not_linked',
      {
        detail: 'device already disconnected',
        reason: 'device already disconnected',
        status: false,
      },
    ]);
  }
  await waitFor(async () => {
    const rows = await db.allAccountsSql<{ code: string }[]>`select code from rejected_calls`;
    const codes = new Set(rows.map(({ code }) => code));
    expect(codes).toEqual(new Set(['input_invalid', 'token_linked', 'token_not_linked']));
  });
});

test('uses one of several keys, and no other method sends', async ({ ani, running }) => {
  const form = { target: '08123456789', message: 'x' };
  const key = `${ani.key}, ${ani.key}`;
  expect((await ask(running, '/send', { key, form })).body).toMatchObject({ status: true });
  const head = await running.app.inject({
    method: 'HEAD',
    url: `/send?${new URLSearchParams({ ...form, token: ani.key }).toString()}`,
  });
  expect(head.statusCode).toBe(404);
  expect(await sentTexts(ani)).toHaveLength(1);
});

test('neither the key nor texts reach the log, also from an address', async ({ openApp, db }) => {
  const running = await openApp({ env: { LOG_LEVEL: 'debug' } });
  const { key } = await callerOf(running, db, { saldo: 1000 });
  const fields = { token: key, target: '08123456789', message: 'rahasia dapur' };
  const path = `/send?${new URLSearchParams(fields).toString()}`;
  expect((await ask(running, path, { method: 'GET' })).body).toMatchObject({ status: true });
  expect((await ask(running, `${path}x&target=`, { method: 'GET' })).status).toBe(200);
  const log = running.lines.join('\n');
  expect(log).toContain('"route":"/send"');
  for (const word of [key, 'rahasia', '8123456789']) expect(log).not.toContain(word);
});

test('bodies are limited, and not read without a key', async ({ ani, running }) => {
  const { key } = ani;
  const form = { target: '08123456789', message: 'x'.repeat(1_100_000) };
  expect((await ask(running, '/send', { key, form })).body.reason).toBe('file size must under 4MB');
  expect((await ask(running, '/send', { form })).body.reason).toBe('token invalid');
  const broken = { 'content-type': 'multipart/form-data' };
  expect((await ask(running, '/send', { key, json: 'x', headers: broken })).body.reason).toBe(
    'JSON format invalid',
  );
});

test('neither dialect accepts input from the portal or from web pages', async ({ running }) => {
  for (const path of ['/send', '/device', '/qr', '/status', '/validate']) {
    const page = await running.app.inject({ method: 'DELETE', url: path });
    expect(page.json(), path).toMatchObject({ status: false });
  }
  expect((await running.ask('app_config')).status).toBe(200);
  const unknown = await ask(running, '/api/unknown', { form: {} });
  expect(unknown.body).toEqual({ status: false, message: 'token invalid' });
});

test('an invalid escape in the address sends nothing', async ({ ani, running }) => {
  const get = (message: string) =>
    ask(running, `/send?token=${ani.key}&target=08123456789&message=${message}`, { method: 'GET' });
  for (const message of ['caf%E9', '100%']) {
    expect((await get(message)).body, message).toMatchObject({ reason: 'JSON format invalid' });
  }
  expect((await get('caf%C3%A9+100%25')).body.status).toBe(true);
  expect(await sentTexts(ani)).toEqual([['628123456789', 'café 100%']]);
});

test('a repeat gets the first answer, also for times relative to now', async ({ ani, running }) => {
  const soon = Math.floor(Date.now() / 1000) + 2;
  const plans = [{ delay: '1-1000' }, { followup: '60' }, { schedule: String(soon) }];
  for (const [index, plan] of plans.entries()) {
    const form = { target: '08123456789,08123456788', message: 'x', ...plan };
    const key = ani.key;
    const own = { 'idempotency-key': `k${index}` };
    const { requestid: _, ...first } = (await ask(running, '/send', { key, form, headers: own }))
      .body;
    expect(first.status, JSON.stringify(plan)).toBe(true);
    if ('schedule' in plan) await waitFor(() => expect(Date.now() / 1000).toBeGreaterThan(soon));
    const again = await ask(running, '/send', { key, form, headers: own });
    expect(again.body).toMatchObject(first);
    expect(again.headers['idempotent-replayed']).toBe('true');
  }
  for (const other of [{ delay: '1-999' }, { delay: '1-1000', message: 'y' }]) {
    const form = { target: '08123456789,08123456788', message: 'x', ...other };
    const { headers: said } = await ask(running, '/send', {
      key: ani.key,
      form,
      headers: { 'idempotency-key': 'k0' },
    });
    expect(said['x-kabari-error']).toBe('idempotency_conflict');
  }
});

test("an unknown address gets the dialect's refusal", async ({ ani, running }) => {
  for (const path of ['/fetch-devices', '/delete-message', '/get-whatsapp-group/']) {
    const { status, body, headers } = await ask(running, path, { key: ani.key, form: { id: '1' } });
    expect({ status, body }, path).toEqual({
      status: 200,
      body: { status: false, reason: 'input invalid', requestid: expect.any(Number) },
    });
    expect(headers['x-kabari-error']).toBe('path_unknown');
  }
});

test('addresses answer in the dialect’s JSON for every method, also unknown addresses', async ({
  ani,
  running,
}) => {
  const { key } = ani;
  const answered = async (path: string, method: string, headers: Record<string, string> = {}) => {
    const { body, ...answer } = await running.app.inject({
      method: method as 'GET',
      url: path,
      headers: { accept: '*/*', ...headers },
    });
    expect(answer.headers['content-type'], `${method} ${path}`).toContain('application/json');
    return { status: answer.statusCode, body: JSON.parse(body) };
  };
  const authorization = key;
  expect(await answered('/device', 'GET', { authorization })).toMatchObject({
    status: 200,
    body: { status: true, device_status: 'connect' },
  });
  expect(await answered(`/validate?token=${key}&target=08123456789`, 'GET')).toEqual({
    status: 200,
    body: { not_registered: [], registered: ['628123456789'], status: true },
  });
  const no = { status: false, reason: expect.any(String) };
  for (const path of ['/device', '/qr', '/validate', '/status', '/get-devices', '/disconnect']) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(await answered(path, method)).toMatchObject({ status: 200, body: no });
    }
  }
  for (const path of ['/qr', '/status']) {
    expect(await answered(path, 'GET', { authorization })).toMatchObject({ status: 200, body: no });
  }
  for (const path of ['/devices', '/send-message', '/api/nada', '/add-device']) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { body } = await answered(path, method, { authorization });
      expect(body, `${method} ${path}`).toMatchObject({ status: false });
    }
  }
});
