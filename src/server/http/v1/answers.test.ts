import { expect } from 'vitest';
import { refusals } from '#contract/base/refusals.ts';
import { problems } from '#contract/rest/endpoint.ts';
import { apiEndpoints } from '#contract/rest.ts';
import { makeKey } from '#server/domains/tokens/keys.ts';
import {
  type ApiAnswer,
  type Caller,
  callerAt,
  callerOf,
  halo,
  inEnglish,
  test,
} from '#tests/support/app/api-caller.ts';
import { changeKeys } from '#tests/support/people/people.ts';

/** Checks the common parts of every problem response. */
function expectProblem({ status, body, headers }: ApiAnswer, code: string): void {
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  // The schema drops fields that it does not name.
  expect(problems.SendProblem().parse(body)).toEqual(body);
  expect(body).toMatchObject({ code, status, type: `urn:kabari:error:${code}` });
  expect(body.request_id).toBe(headers['x-request-id']);
}

test('no response of the API may be cached, whether success or error', async ({ running, ani }) => {
  const anybody = callerAt(running);
  const sent = await ani.call('/v1/messages', { body: halo });
  const answers: [string, ApiAnswer][] = [
    ['accepted', sent],
    ['list', await ani.call('/v1/messages')],
    ['one', await ani.call(`/v1/messages/${sent.body.id}`)],
    ['cancelled', await ani.call(`/v1/messages/${sent.body.id}/cancel`, { body: {} })],
    ['balance', await ani.call('/v1/balance')],
    ['head', await ani.call('/v1/balance', { method: 'HEAD' })],
    ['options', await anybody('/v1/balance', { method: 'OPTIONS' })],
    ['gone', await ani.call('/v1/messages/msg_x')],
    ['no key', await anybody('/v1/balance')],
    ['unknown path', await anybody('/v1/nada')],
    ['wrong method', await anybody('/v1/balance', { method: 'PUT' })],
    ['unknown method', await anybody('/v1/balance', { method: 'TRACE' })],
    ['bad address', await anybody('/v1/%zz')],
    ['bad JSON', await ani.call('/v1/messages', { body: '{' })],
    ['bad field', await ani.call('/v1/messages', { body: {} })],
    ['none of many', await ani.call('/v1/messages', { body: { messages: [1] } })],
    [
      'compressed',
      await ani.call('/v1/messages', { body: '{}', headers: { 'content-encoding': 'gzip' } }),
    ],
  ];
  for (const [what, { headers }] of answers) {
    expect(headers['cache-control'], what).toBe('no-store');
    expect(headers['x-request-id'], what).toMatch(/^req_/);
  }
});

test('an address lists its methods, for OPTIONS and for a wrong method', async ({ running }) => {
  const anybody = callerAt(running);
  const taken = new Map<string, Set<string>>();
  for (const { method, path } of Object.values(apiEndpoints)) {
    taken.set(path, (taken.get(path) ?? new Set()).add(method));
  }
  for (const [pattern, methods] of taken) {
    const path = pattern.replace(':id', 'msg_x');
    const all = [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'];
    const allow = all.toSorted().join(', ');
    expect(await anybody(path, { method: 'OPTIONS' }), path).toMatchObject({
      status: 204,
      headers: { allow },
    });
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'SEARCH'];
    for (const method of others.filter((one) => !all.includes(one))) {
      const answer = await anybody(path, { method });
      expect(answer, `${method} ${path}`).toMatchObject({ status: 405, headers: { allow } });
      expectProblem(answer, 'method_not_allowed');
      expect(answer.body.detail).toContain(allow);
    }
  }
});

test('a page of another site is never allowed', async ({ running }) => {
  const headers = { origin: 'https://lain.example', 'access-control-request-method': 'POST' };
  const answer = await callerAt(running)('/v1/messages', { method: 'OPTIONS', headers });
  const granted = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
  expect(granted).toEqual([]);
});

test('an unknown address differs from a missing message', async ({ ani, running }) => {
  for (const path of ['/v1', '/v1/', '/v1/message', '/v1/balance/', '/v1/messages/a/b/c']) {
    const answer = await callerAt(running)(path, { headers: { accept: 'text/html' } });
    expect(answer.status, path).toBe(404);
    expectProblem(answer, 'path_unknown');
    expect(answer.body.detail).toContain('/docs');
  }
  const gone = await ani.call('/v1/messages/msg_x', { headers: inEnglish });
  expect(gone.status).toBe(404);
  expectProblem(gone, 'not_found');
  expect(gone.body.detail).toContain('The message was not found');
  const misspelt = await callerAt(running)('/v1/%zz', { headers: inEnglish });
  expect(misspelt.status).toBe(400);
  expectProblem(misspelt, 'request_malformed');
});

test('a missing key differs from a wrong one', async ({ running, ani, db }) => {
  const anybody = callerAt(running);
  const asking = (authorization?: string) =>
    anybody('/v1/balance', {
      headers: { ...inEnglish, ...(authorization !== undefined && { authorization }) },
    });
  for (const given of [undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', ani.key]) {
    const answer = await asking(given);
    expect(answer, String(given)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="Kabari"' },
    });
    expectProblem(answer, 'token_missing');
    expect(answer.body.detail).toContain('`Authorization: Bearer <key>`');
  }
  await changeKeys(db.allAccountsSql, ani, { revokedAt: 'now' });
  for (const key of ['salah', makeKey('simulator').key, ani.key.slice(0, -1), ani.key]) {
    const answer = await asking(`Bearer ${key}`);
    expect(answer, key.slice(0, 9)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="Kabari", error="invalid_token"' },
    });
    expectProblem(answer, 'token_invalid');
  }
});

test('the authorization scheme is case-insensitive', async ({ running, ani }) => {
  for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
    const authorization = `${scheme} ${ani.key}`;
    const answer = await callerAt(running)('/v1/balance', { headers: { authorization } });
    expect(answer.status, scheme).toBe(200);
  }
});

test('the key is checked first: an unknown caller learns nothing about the input', async ({
  running,
}) => {
  const answer = await callerAt(running)('/v1/messages', { body: '{' });
  expectProblem(answer, 'token_missing');
});

test('every response to a known key has the remaining requests', async ({ ani }) => {
  for (const body of ['{', '{}', JSON.stringify(halo)]) {
    const { headers } = await ani.call('/v1/messages', { body });
    expect(headers).toMatchObject({ ratelimit: expect.stringMatching(/^"api";r=\d+;t=1$/) });
  }
});

test('a message is cancelled with an empty body, too', async ({ ani }) => {
  const { body } = await ani.call('/v1/messages', { body: halo });
  const cancelled = await ani.call(`/v1/messages/${body.id}/cancel`, { body: '' });
  expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } });
});

type Trouble = [
  what: string,
  code: keyof typeof refusals,
  ask: (ani: Caller) => Promise<ApiAnswer>,
];

const troubles: readonly Trouble[] = [
  [
    'too long',
    'body_too_large',
    ({ call }) => call('/v1/messages', { body: 'x'.repeat(1_100_000) }),
  ],
  ['no JSON', 'request_malformed', ({ call }) => call('/v1/messages', { body: '{' })],
  ['a list', 'request_malformed', ({ call }) => call('/v1/messages', { body: '[]' })],
  ['a wrong field', 'input_invalid', ({ call }) => call('/v1/messages', { body: { to: 1 } })],
  [
    'none of many',
    'input_invalid',
    ({ call }) => call('/v1/messages', { body: { messages: [1] } }),
  ],
  [
    'a wrong key of repetition',
    'input_invalid',
    ({ call }) => call('/v1/messages', { body: halo, headers: { 'idempotency-key': 'a b' } }),
  ],
  [
    'a form',
    'media_type_unsupported',
    ({ call }) =>
      call('/v1/messages', {
        body: 'to=1',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
  ],
];

test('each problem is described for developers, in the requested language', async ({
  running,
  db,
}) => {
  const ani = await callerOf(running, db, { saldo: 1000 });
  const speaking = (language: string): Caller => ({
    ...ani,
    call: (path, options) =>
      ani.call(path, {
        ...options,
        headers: { 'accept-language': language, ...options?.headers },
      }),
  });
  for (const [what, code, ask] of troubles) {
    const [indonesian, english] = [await ask(speaking('id')), await ask(speaking('en'))];
    for (const answer of [indonesian, english]) {
      expect(answer.status, what).toBe(refusals[code].status);
      expectProblem(answer, code);
      expect(answer.body.detail, what).not.toMatch(/ditandai|Muat ulang/);
    }
    expect(english.body.title).toBe('Request refused');
    expect(english.body.detail, what).not.toBe(indonesian.body.detail);
    const words = JSON.stringify([english.body.detail, english.body.fields, english.body.data]);
    expect(words, what).not.toMatch(/\b(harus|wajib|isian|isinya|karakter|tidak)\b/i);
  }
});
