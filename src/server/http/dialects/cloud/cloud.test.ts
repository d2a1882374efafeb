import { expect } from 'vitest';
import { businessIdOf, messageIdOf, numberIdOf, wamidOf } from '#contract/dialects.ts';
import { publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';
import { type Caller, callerAt, callerOf, inEnglish, test } from '#tests/support/app/api-caller.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { changeTokens } from '#tests/support/people/people.ts';
import { changeConversations } from '#tests/support/people/stored-messages.ts';
import { unstorables, oddities } from '#tests/support/hostile/hostile-strings.ts';

const numberOf = ({ tokenId }: Caller): string => numberIdOf(publicId('token', tokenId));
const businessOf = ({ accountId }: Caller): string => businessIdOf(publicId('account', accountId));

const text = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '+62 812-3456-7890',
  type: 'text',
  text: { body: 'Halo', preview_url: false },
};

test('a text is sent in the Cloud API’s format, with or without a version in the address', async ({
  ani,
}) => {
  for (const version of ['/v23.0', '/v19.1', '']) {
    const path = `${version}/${numberOf(ani)}/messages`;
    const answer = await ani.call(path, { body: text });
    expect(answer, path).toMatchObject({
      status: 200,
      body: {
        messaging_product: 'whatsapp',
        contacts: [{ input: '+62 812-3456-7890', wa_id: '6281234567890' }],
        messages: [{ message_status: 'accepted' }],
      },
    });
    const id = messageIdOf(answer.body.messages[0].id);
    const stored = await ani.call(`/v1/messages/${id}`);
    expect(stored.body).toMatchObject({ peer: '6281234567890', content: { text: 'Halo' } });
  }
});

test('template variables are matched by name, in any order', async ({ ani }) => {
  const made = { name: 'siap', language: 'id', body: 'Halo {{nama}}, pesanan {{nomor}} siap.' };
  expect(await ani.call('/v1/templates', { body: made })).toMatchObject({ status: 201 });
  const send = (...names: string[]) => {
    const parameters = names.map((name) => ({
      type: 'text',
      parameter_name: name,
      text: `<${name}>`,
    }));
    const components = [{ type: 'body', parameters }];
    const template = { name: 'siap', language: { code: 'id' }, components };
    const body = { messaging_product: 'whatsapp', to: text.to, type: 'template', template };
    return ani.call(`/v23.0/${numberOf(ani)}/messages`, { body });
  };
  const sent = await send('nomor', 'nama');
  expect(sent).toMatchObject({ status: 200 });
  const stored = await ani.call(`/v1/messages/${messageIdOf(sent.body.messages[0].id)}`);
  expect(stored.body.content).toMatchObject({ text: 'Halo <nama>, pesanan <nomor> siap.' });
  for (const wrong of [['nama', 'jam'], ['nama'], ['nama', 'nama']]) {
    expect(await send(...wrong)).toMatchObject({ status: 400, body: { error: { code: 132000 } } });
  }
});

test('a key in the address is accepted as well', async ({ ani, running }) => {
  const path = `/v23.0/${numberOf(ani)}/messages?access_token=${ani.key}`;
  expect(await callerAt(running)(path, { body: text })).toMatchObject({ status: 200 });
});

test('a repeated key sends once', async ({ ani }) => {
  const send = () =>
    ani.call(`/v23.0/${numberOf(ani)}/messages`, {
      body: text,
      headers: { 'idempotency-key': 'k1' },
    });
  const [first, second] = [await send(), await send()];
  expect(second.body).toEqual(first.body);
  expect(second.headers['idempotent-replayed']).toBe('true');
});

test('a reply is linked to its message by the wamid', async ({ ani }) => {
  const path = `/v23.0/${numberOf(ani)}/messages`;
  const context = { message_id: 'wamid.HBgLMTIzNDU2Nzg5MBUCABEY' };
  const foreign = await ani.call(path, { body: { ...text, context } });
  expect(foreign).toMatchObject({ status: 400, body: { error: { code: 131009 } } });
  expect(foreign.body.error.error_data.details).toContain('context.message_id');
});

test("errors have Meta's shape, with Meta's code and our own", async ({ running, db, ani }) => {
  const path = `/v23.0/${numberOf(ani)}/messages`;
  const anybody = callerAt(running);
  const poor = await callerOf(running, db, { saldo: 0 });
  const asked = [
    [401, 190, 'token_missing', await anybody(path, { body: text })],
    [
      401,
      190,
      'token_invalid',
      await anybody(path, { body: text, headers: { authorization: 'Bearer salah' } }),
    ],
    [404, 803, 'not_found', await ani.call(`/v23.0/${numberOf(poor)}/messages`, { body: text })],
    [404, 803, 'path_unknown', await ani.call(`/v23.0/${numberOf(ani)}/nada`, { body: text })],
    [404, 803, 'path_unknown', await ani.call('/v23.0/nada')],
    [404, 803, 'path_unknown', await ani.call('/v23.0/nada/nada', { body: text })],
    [400, 100, 'input_invalid', await ani.call('/v23.0/6281234567890/messages', { body: text })],
    [400, 100, 'input_invalid', await ani.call('/v23.0/PHONE_NUMBER_ID/messages', { body: text })],
    [400, 100, 'input_invalid', await ani.call('/v23.0/6281234567890')],
    [400, 131008, 'input_invalid', await ani.call(path, { body: {} })],
    [400, 131009, 'input_invalid', await ani.call(path, { body: { ...text, to: 'Ani' } })],
    [400, 131051, 'input_invalid', await ani.call(path, { body: { ...text, type: 'order' } })],
    [400, 100, 'request_malformed', await ani.call(path, { body: '{' })],
    [413, 100, 'body_too_large', await ani.call(path, { body: 'x'.repeat(1_100_000) })],
    [
      400,
      131042,
      'insufficient_balance',
      await poor.call(`/v23.0/${numberOf(poor)}/messages`, { body: text }),
    ],
  ] as const;
  for (const [status, code, header, answer] of asked) {
    const { body, headers } = answer;
    const what = `${code} ${header} ${answer.text}`;
    expect(answer.status, what).toBe(status);
    expect(headers['x-error-code'], what).toBe(header);
    expect(headers['cache-control'], what).toBe('no-store');
    expect(body.error, what).toMatchObject({
      code,
      type: code === 803 ? 'GraphMethodException' : 'OAuthException',
      is_transient: false,
      fbtrace_id: headers['x-fb-trace-id'],
      error_data: { messaging_product: 'whatsapp', details: expect.stringMatching(/\.$/) },
    });
    expect(body.error.message, what).toContain(`(#${code}) `);
  }
});

test('a daily limit and a rate limit both return the seconds to wait', async ({ ani }) => {
  const path = `/v23.0/${numberOf(ani)}/messages`;
  for (let n = 0; n < 5; n++) await ani.call(path, { body: text });
  const { status, body, headers } = await ani.call(path, { body: text, headers: inEnglish });
  expect([status, body.error.code]).toEqual([429, 80007]);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(86_400);
});

test('a number returns its fields, and no other number is visible', async ({
  ani,
  running,
  db,
}) => {
  const number = numberOf(ani);
  const all = await ani.call(`/v23.0/${number}`);
  expect(all).toMatchObject({ status: 200, body: { id: number, platform_type: 'NOT_APPLICABLE' } });
  const some = await ani.call(
    `/${number}?fields=display_phone_number,status,webhook_configuration{application,whatsapp}`,
  );
  expect(Object.keys(some.body).toSorted()).toEqual(['display_phone_number', 'id', 'status']);
  const list = await ani.call(`/v23.0/${businessOf(ani)}/phone_numbers`);
  expect(list.body).toMatchObject({ data: [{ id: number }], paging: { cursors: {} } });
  const budi = await callerOf(running, db, {});
  for (const path of [numberOf(budi), businessOf(budi), `${businessOf(budi)}/phone_numbers`]) {
    expect((await ani.call(`/v23.0/${path}`)).status, path).toBe(404);
  }
});

test('health and set-up checks return the actual state', async ({ ani, running, db }) => {
  const budi = await callerOf(running, db);
  const number = `/v23.0/${numberOf(ani)}`;
  const profile = await ani.call(`${number}/whatsapp_business_profile`);
  expect(profile.body).toEqual({ data: [{ messaging_product: 'whatsapp' }] });
  const body = { messaging_product: 'whatsapp', pin: '123456' };
  expect((await ani.call(`${number}/register`, { body })).body).toEqual({ success: true });
  expect((await budi.call(`${number}/register`, { body })).status).toBe(404);
  await changeTokens(db.allAccountsSql, ani, { phone: null, status: 'unlinked' });
  expect((await ani.call(`${number}/register`, { body })).body.error).toMatchObject({
    code: 133_010,
  });
});

test('a key describes itself, and reveals nothing about other keys', async ({
  ani,
  running,
  db,
}) => {
  const budi = await callerOf(running, db);
  await changeTokens(db.allAccountsSql, ani, {
    scopes: ['messages.send', 'account.read'],
    expiresOn: '2099-12-31',
  });
  const me = { id: numberOf(ani), name: 'Kasir' };
  for (const path of ['/v23.0/me', '/me']) expect((await ani.call(path)).body).toEqual(me);
  expect((await ani.call('/v23.0/me?fields=id')).body).toEqual({ id: me.id });
  const looked = (input: string) =>
    ani.call(`/v23.0/debug_token?${new URLSearchParams({ input_token: input }).toString()}`);
  const own = await looked(ani.key);
  const end = Date.parse('2100-01-01T00:00:00+07:00') / 1_000;
  const scopes = ['whatsapp_business_messaging', 'whatsapp_business_management'];
  expect(own.body.data).toEqual({
    app_id: businessOf(ani),
    type: 'SYSTEM_USER',
    application: 'Kabari',
    data_access_expires_at: end,
    expires_at: end,
    is_valid: true,
    scopes,
    granular_scopes: scopes.map((scope) => ({ scope, target_ids: [businessOf(ani)] })),
    user_id: numberOf(ani),
  });
  expect(own.text).not.toContain(ani.key);
  const others = [budi.key, ani.key.slice(0, -1), `${ani.key} `, 'x', `${ani.key.slice(0, -1)}é`];
  const told = await Promise.all(others.map(async (key) => (await looked(key)).text));
  expect(new Set(told).size).toBe(1);
  expect(JSON.parse(told[0] ?? '')).toMatchObject({ data: { is_valid: false, scopes: [] } });
  expect((await looked('')).body.error).toMatchObject({ code: 100 });
  const nobody = await callerAt(running)(`/debug_token?input_token=${ani.key}`);
  expect([nobody.status, nobody.body.error.code]).toEqual([401, 190]);
  const inAddress = `/debug_token?input_token=${ani.key}&access_token=${ani.key}`;
  expect((await callerAt(running)(inAddress)).body.data.is_valid).toBe(true);
  expect(running.lines.join('\n')).not.toContain(ani.key);
});

test('a deregistered number has no phone any more', async ({ ani, running, db }) => {
  const [budi, cici] = [await callerOf(running, db), await callerOf(running, db)];
  const path = `/v23.0/${numberOf(ani)}/deregister`;
  expect((await cici.call(path, { body: {} })).status).toBe(404);
  await changeTokens(db.allAccountsSql, budi, { scopes: ['account.read'] });
  const refused = await budi.call(`/v23.0/${numberOf(budi)}/deregister`, { body: {} });
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 10 } } });
  for (let n = 0; n < 2; n++) {
    expect((await ani.call(path, { body: {} })).body).toEqual({ success: true });
  }
  const [token] = await db.allAccountsSql`
    select status, phone from tokens where token_id = ${ani.tokenId}`;
  expect(token).toEqual({ status: 'unlinked', phone: null });
  const sent = await ani.call(`/v23.0/${numberOf(ani)}/messages`, { body: text });
  expect(sent.body.error).toMatchObject({ code: 133_010 });
});

test('only incoming messages can be marked as read', async ({ ani, db, running }) => {
  const path = `/v23.0/${numberOf(ani)}/messages`;
  const sent = await ani.call(path, { body: text });
  const read = (message_id: unknown) =>
    ani.call(path, { body: { messaging_product: 'whatsapp', status: 'read', message_id } });
  expect(await read(sent.body.messages[0].id)).toMatchObject({ body: { error: { code: 131009 } } });
  expect(await read(undefined)).toMatchObject({ body: { error: { code: 131008 } } });
  expect(await read('wamid.x')).toMatchObject({ status: 404 });
  expect(await read({ a: 1 })).toMatchObject({ body: { error: { code: 131009 } } });

  const { accountId, tokenId } = ani;
  await running.container.messages.sinks.inbound({
    accountId,
    tokenId,
    from: '6281234567890',
    name: 'Budi',
    type: 'text',
    body: { text: 'Sudah siap?' },
    at: new Date(),
    providerId: newId(),
  });
  const list = await ani.call('/v1/messages?direction=in');
  const wamid = wamidOf(list.body.data[0].id);
  const unread = () => db.allAccountsSql`select unread from conversations`;
  // Publishing would count it, but no relay runs here.
  await changeConversations(db.allAccountsSql, {}, { unread: 1 });
  expect(await read(wamid)).toMatchObject({ status: 200, body: { success: true } });
  expect((await unread()).filter((row) => Number(row['unread']) > 0)).toEqual([]);
  const answer = { ...text, context: { message_id: wamid }, text: { body: 'Sudah' } };
  const answered = await ani.call(path, { body: answer });
  const id = messageIdOf(answered.body.messages[0].id);
  expect((await ani.call(`/v1/messages/${id}`)).body.content.quoted.text).toBe('Sudah siap?');
});

test('a phone number in place of its id names the right id, and the call is recorded as rejected', async ({
  ani,
  db,
}) => {
  const { body } = await ani.call('/v23.0/6281234567890/messages', { body: text });
  expect(body.error.error_data.details).toMatch(/^phone_number_id: .*halaman Nomor/);
  await waitFor(async () => {
    const kept = await db.allAccountsSql`
      select dialect, code, status, path, facts from rejected_calls`;
    expect(kept).toEqual([
      {
        dialect: 'cloud',
        code: 'input_invalid',
        status: 400,
        path: '/v23.0/…/messages',
        facts: { fields: ['phone_number_id'] },
      },
    ]);
  });
});

test('a token without the send scope is refused, and its owner finds the rejected call', async ({
  ani,
  db,
}) => {
  await changeTokens(db.allAccountsSql, {}, { scopes: ['messages.read'] });
  const answer = await ani.call(`/v23.0/${numberOf(ani)}/messages`, { body: text });
  expect(answer).toMatchObject({
    status: 403,
    headers: { 'x-error-code': 'scope_missing' },
    body: { error: { code: 10 } },
  });
  await waitFor(async () => {
    const kept = await db.allAccountsSql`select dialect, code, path from rejected_calls`;
    expect(kept).toEqual([
      { dialect: 'cloud', code: 'scope_missing', path: '/{version}/{id}/messages' },
    ]);
  });
});

test('arbitrary input is refused, never an internal error', async ({ running, db }) => {
  const ani = await callerOf(running, db, { saldo: 100_000 });
  const path = `/v23.0/${numberOf(ani)}/messages`;
  const strange = [
    '[]',
    'null',
    '7',
    '{"__proto__":{"to":"6281234567890"}}',
    `{"to":"6281234567890","type":"__proto__"}`,
    `{"to":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    `{"to":"6281234567890","type":"contacts","contacts":"[${'{},'.repeat(9_999)}{}]"}`,
    `{"to":"6281234567890","type":"interactive","interactive":{"type":"list","body":{"text":"x"},"action":{"sections":[${'{"rows":[{"title":"x"}]},'.repeat(20_000)}{}]}}}`,
  ];
  for (const hostile of [...unstorables, ...oddities.slice(0, 30)]) {
    strange.push(
      JSON.stringify({ to: hostile, text: { body: 'x' } }),
      JSON.stringify({ to: '6281234567890', text: { body: hostile } }),
      JSON.stringify({ to: '6281234567890', type: hostile, [hostile]: {} }),
      JSON.stringify({
        ...text,
        biz_opaque_callback_data: hostile,
        context: { message_id: hostile },
      }),
      JSON.stringify({ status: 'read', message_id: hostile }),
    );
  }
  for (const body of strange) {
    const answer = await ani.call(path, { body });
    expect(answer.status, body.slice(0, 200)).toBeLessThan(500);
    if (answer.status !== 200)
      expect(answer.body.error.code, body.slice(0, 200)).toBeGreaterThan(0);
  }
  expect(running.lines.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
});
