import { expect } from 'vitest';
import type { Endpoint } from '#contract/rest/endpoint.ts';
import { type Scope, scopes } from '#contract/tokens.ts';
import { apiEndpoints } from '#contract/rest.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type Caller, callerOf, halo, test } from '#tests/support/app/api-caller.ts';
import { ask } from '#tests/support/app/dialect-caller.ts';
import { test as appTest } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { changeTokens } from '#tests/support/people/people.ts';

type Change = { scopes?: readonly Scope[]; addresses?: readonly string[]; expiresOn?: string };

const restrict = ({ allAccountsSql }: TestDatabase, caller: Caller, change: Change) =>
  changeTokens(allAccountsSql, caller, {
    scopes: change.scopes ?? [...scopes],
    allowedAddresses: change.addresses ?? [],
    expiresOn: change.expiresOn ?? null,
  });

const kept = ({ allAccountsSql }: TestDatabase) =>
  allAccountsSql<
    { code: string; path: string; method: string; status: number; calls: number; facts: object }[]
  >`select code, path, method, status, calls, facts, dialect, address from rejected_calls order by last_at, code`;

const called = ({ path }: Endpoint) => path.replaceAll(/:\w+/g, 'msg_01JD8ZK3000000000000000000');

test('each endpoint is refused with all scopes but its own, and allowed with that one', async ({
  running,
  db,
}) => {
  const endpoints = Object.values<Endpoint>(apiEndpoints);
  for (const scope of scopes) {
    const ani = await callerOf(running, db);
    await restrict(db, ani, { scopes: [scope] });
    for (const endpoint of endpoints) {
      const { method } = endpoint;
      const answer = await ani.call(called(endpoint), {
        method,
        ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
      });
      const name = `${method} ${endpoint.path} with ${scope}`;
      if (endpoint.scope === scope) expect(answer.body?.code, name).not.toBe('scope_missing');
      else {
        expect(answer, name).toMatchObject({
          status: 403,
          body: { code: 'scope_missing', detail: expect.stringContaining(endpoint.scope) },
        });
      }
    }
  }
});

test('a token works from its addresses only, and refused calls use up none of its rate', async ({
  running,
  db,
  ani,
}) => {
  await restrict(db, ani, { addresses: ['203.0.113.0/24', '2001:db8::/32'] });
  const from = (remoteAddress: string) =>
    running.app.inject({
      url: '/v1/balance',
      remoteAddress,
      headers: { authorization: `Bearer ${ani.key}` },
    });
  for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8::5']) {
    expect((await from(address)).statusCode, address).toBe(200);
  }
  const refused = await from('::ffff:198.51.100.1');
  expect(refused.statusCode).toBe(403);
  expect(refused.json()).toMatchObject({
    code: 'address_not_allowed',
    detail: expect.stringContaining('198.51.100.1'),
  });
  expect(refused.headers['ratelimit']).toBeUndefined();
  // No proxy is trusted here, so forwarded addresses are ignored.
  const claimed = await running.app.inject({
    url: '/v1/balance',
    remoteAddress: '198.51.100.1',
    headers: { authorization: `Bearer ${ani.key}`, 'x-forwarded-for': '203.0.113.9' },
  });
  expect(claimed.statusCode).toBe(403);
});

test('a token that refuses its key in addresses is refused there in every dialect', async ({
  running,
  db,
  ani,
}) => {
  const calls = (): [string, object][] => [
    [`/v20.0/me?access_token=${ani.key}`, {}],
    [`/api/device/info?token=${ani.key}`, {}],
    [`/send?token=${ani.key}&target=081234567890&message=Halo`, {}],
    [`/send?token=kbr_live_x,${encodeURIComponent(ani.key)}&target=081234567890&message=Halo`, {}],
    [`/v1/balance?key=${ani.key}`, { headers: { authorization: `Bearer ${ani.key}` } }],
  ];
  const answers = () =>
    Promise.all(
      calls().map(async ([url, more]) => {
        const { statusCode, headers } = await running.app.inject({ url, ...more });
        return headers['x-kabari-error'] ?? statusCode;
      }),
    );
  expect(await answers()).not.toContain('key_in_address');
  await changeTokens(db.allAccountsSql, ani, { keyInAddress: false });
  await waitFor(async () => {
    const refused = await answers();
    expect(refused.filter((one) => one === 'key_in_address' || one === 403)).toHaveLength(5);
  });
  expect((await ani.call('/v1/balance')).status).toBe(200);
});

appTest(
  'behind a trusted proxy the address is the one that the proxy names',
  async ({ db, openApp }) => {
    const running = await openApp({ env: { TRUSTED_PROXIES: '10.0.0.1' } });
    const ani = await callerOf(running, db);
    await restrict(db, ani, { addresses: ['203.0.113.9'] });
    const through = async (remoteAddress: string, forwarded: string) => {
      const { statusCode } = await running.app.inject({
        url: '/v1/balance',
        remoteAddress,
        headers: { authorization: `Bearer ${ani.key}`, 'x-forwarded-for': forwarded },
      });
      return statusCode;
    };
    expect(await through('10.0.0.1', '203.0.113.9')).toBe(200);
    expect(await through('10.0.0.1', '203.0.113.9, 198.51.100.1')).toBe(403);
    expect(await through('10.0.0.1', 'nonsense')).toBe(403);
    expect(await through('198.51.100.1', '203.0.113.9')).toBe(403);
  },
);

test('an expired token is refused with its last valid day', async ({ db, ani }) => {
  await restrict(db, ani, { expiresOn: '2026-01-31' });
  const answer = await ani.call('/v1/balance');
  expect(answer).toMatchObject({ status: 401, body: { code: 'token_expired' } });
  expect(answer.body.detail).toContain('31 Jan 2026');
});

test('refused calls are recorded with their reason and count, without their contents', async ({
  db,
  ani,
}) => {
  const secret = '6281377778888';
  await ani.call('/v1/messages', { body: { ...halo, to: secret, [`x${secret}`]: 'Rahasia' } });
  await ani.call('/v1/messages', { body: { ...halo, to: secret, [`x${secret}`]: 'Rahasia' } });
  await ani.call(`/v1/pesan/${secret}/${ani.key}?token=${ani.key}`);
  await ani.call('/v1/messages/msg_01JD8ZK3000000000000000000');
  await ani.call('/v1/messages', { method: 'DELETE' });
  await ani.call('/v1/messages', { body: '{"to": ' });
  await ani.call('/v1/messages', { body: { messages: [{ to: 'x' }, { to: 'y' }] } });
  await waitFor(async () => expect(await kept(db)).toHaveLength(6));
  const rows = await kept(db);
  expect(JSON.stringify(rows)).not.toMatch(/81377778888|Rahasia|kbr_/);
  const told = rows.map(({ code, calls, path, method }) => `${code} ${calls} ${method} ${path}`);
  expect(told.toSorted()).toEqual([
    'input_invalid 1 POST /v1/messages',
    'input_invalid 2 POST /v1/messages',
    'method_not_allowed 1 DELETE /v1/messages',
    'not_found 1 GET /v1/messages/:id',
    'path_unknown 1 GET /v1/pesan/…/…',
    'request_malformed 1 POST /v1/messages',
  ]);
  expect(rows.find(({ calls }) => calls === 2)?.facts).toEqual({ fields: ['…'] });
});

test('items refused in an accepted call are recorded with the answer, once per reason', async ({
  running,
  db,
  ani,
}) => {
  const wrong = { to: 'x', text: { body: 'Halo' } };
  const { status, body } = await ani.call('/v1/messages', {
    body: { messages: [halo, wrong, wrong, { ...halo, text: {} }] },
  });
  expect([status, body.refused]).toEqual([202, 3]);
  const fonnte = { target: '08123456789,xyz', message: 'Halo' };
  await ask(running, '/send', { key: ani.key, form: fonnte });
  await ask(running, '/send', { key: ani.key, form: { message: 'Halo' } });
  const data = [
    { phone: '08123456789', message: 'Halo' },
    { phone: 'xyz', message: 'Halo' },
  ];
  await ask(running, '/api/v2/send-message', { key: ani.key, json: { data } });
  await waitFor(async () => expect(await kept(db)).toHaveLength(5));
  const rows = (await kept(db)) as unknown as {
    dialect: string;
    status: number;
    code: string;
    calls: number;
    facts: { fields: string[] };
  }[];
  expect(
    rows
      .map(
        (row) => `${row.dialect} ${row.status} ${row.code} ${row.calls} ${row.facts.fields.join()}`,
      )
      .toSorted(),
  ).toEqual([
    'fonnte 200 input_invalid 1 target',
    'fonnte 200 input_invalid 1 to',
    'kabari 202 input_invalid 1 text.body',
    'kabari 202 input_invalid 1 to',
    'wablas 200 input_invalid 1 to',
  ]);
});

test('an unknown key leaves no record', async ({ running, db, ani }) => {
  const call = (headers: Record<string, string>) =>
    running.app.inject({ url: '/v1/balance', headers });
  await call({});
  await call({ authorization: 'Bearer nonsense' });
  await call({ authorization: `Bearer kbr_test_${'A'.repeat(49)}` });
  await call({
    authorization: `Bearer ${ani.key.slice(0, -1)}${ani.key.endsWith('0') ? '1' : '0'}`,
  });
  // A later record of a known token stands alone.
  await ani.call('/v1/nowhere');
  await waitFor(async () => expect(await kept(db)).toHaveLength(1));
  expect(await kept(db)).toMatchObject([{ code: 'path_unknown' }]);
});
