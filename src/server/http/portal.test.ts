import { connect } from 'node:net';
import fc from 'fast-check';
import { expect } from 'vitest';
import { acts } from '#contract/acts.ts';
import { type RunningApp, test } from '#tests/support/app/running-app.ts';

const FORM = 'application/x-www-form-urlencoded';
const post = (
  { app }: RunningApp,
  payload: string | Buffer,
  headers: Record<string, string> = {},
  url = '/api',
) => app.inject({ method: 'POST', url, payload, headers: { 'content-type': FORM, ...headers } });

test('an act answers as JSON that is never cached', async ({ openApp }) => {
  const response = await post(await openApp(), 'act=app_config');
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  });
  expect(response.json()).toMatchObject({ code: 1, data: { product: 'Kabari' } });
});

test('a token in the address is refused for every method', async ({ openApp }) => {
  const running = await openApp();
  const asked = await Promise.all([
    running.app.inject({ url: '/api?token=kbs_x' }),
    post(running, 'act=app_config', {}, '/api?token=kbs_x'),
    running.app.inject({ method: 'DELETE', url: '/api?token=kbs_x' }),
  ]);
  for (const response of asked) {
    expect(response.statusCode).toBe(400);
    expect(response.json().error.type).toBe('request_malformed');
  }
});

test('another method than POST is refused with Allow', async ({ openApp }) => {
  const running = await openApp();
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    const response = await running.app.inject({ method, url: '/api' });
    expect(response).toMatchObject({ statusCode: 405, headers: { allow: 'OPTIONS, POST' } });
    expect(response.json().error.type).toBe('method_not_allowed');
  }
});

test('a body that is not a form is refused by its type', async ({ openApp }) => {
  const running = await openApp();
  const kinds = ['application/json', 'text/plain', `${FORM}; charset=iso-8859-1`, 'image/png'];
  for (const kind of kinds) {
    const response = await post(running, '{"act":"app_config"}', { 'content-type': kind });
    expect(response.statusCode).toBe(415);
    expect(response.json().error.type).toBe('media_type_unsupported');
  }
  const packed = await post(running, 'act=app_config', { 'content-encoding': 'gzip' });
  expect(packed.statusCode).toBe(415);
});

test('a form over 64 kB, or with more than a thousand pairs, is refused', async ({ openApp }) => {
  const running = await openApp();
  const big = await post(running, `act=app_config&x=${'y'.repeat(65_536)}`);
  expect(big.statusCode).toBe(413);
  expect(big.json().error.type).toBe('body_too_large');
  const many = await post(running, 'a[]=1&'.repeat(1_001));
  expect(many.statusCode).toBe(400);
});

test('names that reach a prototype, doubled envelopes and broken UTF-8 are refused', async ({
  openApp,
}) => {
  const running = await openApp();
  const odd = [
    'act=app_config&__proto__[x]=1&__proto__=1',
    'act=app_config&constructor=1',
    'act=app_config&act=user_login',
    'act=app_config&token=a&token=b',
    'act=app_config&x=%ff',
    'act[]=app_config',
    Buffer.from([0x61, 0x63, 0x74, 0x3d, 0xff]),
  ];
  for (const body of odd) {
    const response = await post(running, body);
    expect(response.statusCode).toBe(400);
    expect(response.json().code).toBe(0);
  }
});

const multipart = (parts: readonly string[]) =>
  `${parts.map((part) => `--line\r\nContent-Disposition: form-data; ${part}\r\n`).join('')}--line--\r\n`;
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=line' };

test('multipart fields are read like other fields', async ({ openApp }) => {
  const running = await openApp();
  const body = multipart(['name="act"\r\n\r\napp_config', 'name="token"\r\n\r\n']);
  const response = await post(running, body, MULTIPART);
  expect(response.json()).toMatchObject({ code: 1, data: { product: 'Kabari' } });
});

test('a file is refused, since no act takes one, and so are too many parts', async ({
  openApp,
}) => {
  const running = await openApp();
  const file = multipart(['name="act"\r\n\r\napp_config', 'name="f"; filename="a.png"\r\n\r\nPNG']);
  expect((await post(running, file, MULTIPART)).statusCode).toBe(400);
  const flood = multipart(
    Array.from({ length: 10_000 }, (_, index) => `name="p${index}"\r\n\r\n1`),
  );
  expect((await post(running, flood, MULTIPART)).statusCode).toBe(413);
});

test('an endless body is cut off at the limit', async ({ openApp }) => {
  const { app } = await openApp();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const socket = connect(address.port, '127.0.0.1');
  const heard: string[] = [];
  let written = 0;
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (bytes) => heard.push(String(bytes))).on('error', () => undefined);
    socket.on('close', () => resolve());
  });
  socket.write(
    `POST /api HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const chunk = Buffer.concat([
    Buffer.from('10000\r\n'),
    Buffer.alloc(65_536, 'a'),
    Buffer.from('\r\n'),
  ]);
  const pour = () => {
    while (!socket.destroyed && socket.writable && written < 1e9) {
      written += chunk.length;
      if (!socket.write(chunk)) return void socket.once('drain', pour);
    }
  };
  pour();
  await closed;
  expect(heard.join('')).toMatch(/^HTTP\/1\.1 413 /);
  expect(written).toBeLessThan(50e6);
});

test('other sites cannot call in our users’ browsers', async ({ openApp }) => {
  const running = await openApp({ env: { PUBLIC_URL: 'https://kabari.example' } });
  const foreign = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://kabari.example', 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of foreign) {
    const response = await post(running, 'act=app_config', headers);
    expect(response.statusCode).toBe(403);
    expect(response.json().error.type).toBe('origin_foreign');
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  }
  const own = { origin: 'https://kabari.example', 'sec-fetch-site': 'same-origin' };
  expect((await post(running, 'act=app_config', own)).statusCode).toBe(200);
});

test('a portal of PORTAL_ORIGINS may call, and no other: CORS without credentials', async ({
  openApp,
}) => {
  const running = await openApp({ env: { PORTAL_ORIGINS: 'https://portal.example' } });
  const origin = 'https://portal.example';
  const preflight = await running.app.inject({
    method: 'OPTIONS',
    url: '/api',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    vary: 'Origin',
  });
  const headers = { origin, 'sec-fetch-site': 'cross-site' };
  const allowed = await post(running, 'act=app_config', headers);
  expect(allowed.statusCode).toBe(200);
  expect(allowed.headers['access-control-allow-origin']).toBe(origin);
  expect(allowed.headers['access-control-allow-credentials']).toBeUndefined();
  const other = await running.app.inject({
    method: 'OPTIONS',
    url: '/api',
    headers: { origin: 'https://portal.example.evil.example' },
  });
  expect(other.headers['access-control-allow-origin']).toBeUndefined();
});

test('the log never contains user input', async ({ openApp }) => {
  const running = await openApp({ env: { LOG_LEVEL: 'trace' } });
  const canaries = {
    phone: '6281999888777',
    password: 'kenari-rahasia-satu',
    captcha: 'kenari-dua',
  };
  await running.ask('user_login', { ...canaries, key: crypto.randomUUID() });
  await running.ask('kenari-tiga', { token: `kbs_${'k'.repeat(43)}` });
  await running.app.inject({ url: '/kenari-empat?token=kenari-lima\u2028%0d%0aX:1' });
  const log = running.lines.join('');
  expect(running.lines.length).toBeGreaterThan(0);
  for (const line of running.lines) expect(() => JSON.parse(line)).not.toThrow();
  expect(log).not.toMatch(/kenari|6281999888777|kkkkkkkk/);
});

test('no input crashes the application or reports a bug', async ({ openApp }) => {
  const running = await openApp({ env: { RATE_AUTH_PER_ADDRESS: '1000000' } });
  const names = acts.map(({ name }) => name);
  const odd = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '',
      '0',
      '-1',
      '1e309',
      'NaN',
      '[object Object]',
      'null',
      '{"a":1}',
      '\0',
      '\u202e',
    ),
    fc.integer().map(String),
  );
  const fields = fc.array(
    fc.tuple(
      fc.oneof(fc.constantFrom('page', 'sort_by', 'phone', 'key', 'token', 'q', 'x[]'), odd),
      odd,
    ),
  );
  const forms = fc
    .tuple(fc.constantFrom(...names), fields)
    .map(([act, pairs]) => new URLSearchParams([['act', act], ...pairs]).toString());
  const bodies = fc.oneof(
    { weight: 4, arbitrary: forms },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)) },
  );
  let nth = 0;
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const remoteAddress = `198.51.100.${nth++ % 250}`;
      const headers = { 'content-type': FORM, 'sec-fetch-site': 'same-origin' };
      const { app } = running;
      const answer = await app.inject({
        method: 'POST',
        url: '/api',
        payload: body,
        headers,
        remoteAddress,
      });
      expect(answer.statusCode).toBeLessThan(500);
      expect([0, 1]).toContain(answer.json().code);
    }),
    { numRuns: 400 },
  );
});
