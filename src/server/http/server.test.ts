import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '#server/infra/config.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type Check, openHealth } from './site.ts';
import { listenOn, openConnections } from './connections.ts';
import { openServer } from './server.ts';

function aServer(
  wish: { production?: boolean; delayMsMax?: number; connectionsMax?: number } = {},
) {
  const { production = false, ...limits } = wish;
  const lines: string[] = [];
  const log = openLog({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const app = openServer({
    config: { TRUSTED_PROXIES: [], SIMULATOR: false, production },
    log,
    ...limits,
  });
  onTestFinished(async () => app.close());
  return { app, lines };
}

async function raw(app: ReturnType<typeof aServer>['app'], bytes: string): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const socket = connect(address.port, '127.0.0.1');
  let said = '';
  socket.setEncoding('latin1').on('data', (more: string) => (said += more));
  socket.on('error', () => undefined);
  socket.write(bytes, 'latin1');
  await once(socket, 'close');
  return said;
}

const everyAnswer = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
  'permissions-policy': expect.stringContaining('camera=()'),
  'x-request-id': expect.stringMatching(/^req_[0-9a-f]{32}$/),
};

test('every response has the security headers: found, not found, refused or failed', async () => {
  const { app } = aServer();
  app.get('/well', async () => ({}));
  app.get('/broken', async () => {
    throw new Error('select password_hash from users');
  });
  for (const url of ['/well', '/broken', '/nowhere', '/%ff']) {
    const answer = await app.inject({ url });
    const { 'x-request-id': id, ...others } = everyAnswer;
    expect(answer.headers).toMatchObject(
      url === '/%ff' ? others : { ...others, 'x-request-id': id },
    );
    expect(answer.payload).not.toContain('password_hash');
  }
});

test('HSTS is sent in production only', async () => {
  const answer = await aServer().app.inject({ url: '/' });
  expect(answer.headers['strict-transport-security']).toBeUndefined();
  const strict = await aServer({ production: true }).app.inject({ url: '/' });
  expect(strict.headers['strict-transport-security']).toMatch(/^max-age=63072000/);
});

test('an unknown method is refused', async () => {
  const { app } = aServer();
  const answer = await app.inject({ method: 'TRACE' as 'GET', url: '/' });
  expect(answer.statusCode).toBe(405);
});

test('endless headers, and bytes that are not HTTP, are cut off with one line', async () => {
  const long = await raw(
    aServer().app,
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
  );
  expect(long).toMatch(/^HTTP\/1\.1 431 /);
  const noise = await raw(aServer().app, '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n');
  expect(noise).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-content-type-options: nosniff/);
});

test('a caller who sends headers a byte at a time is cut off after five seconds', async () => {
  const { app } = aServer();
  expect(app.server.headersTimeout).toBe(5_000);
  const said = await raw(app, 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  expect(said).toMatch(/^HTTP\/1\.1 408 /);
});

test('forwarded addresses are trusted only from a trusted proxy', async () => {
  const { app } = aServer();
  app.get('/ip', async ({ ip }) => ({ ip }));
  const headers = { 'x-forwarded-for': '198.51.100.9' };
  expect((await app.inject({ url: '/ip', headers })).json()).toEqual({ ip: '127.0.0.1' });
  const { TRUSTED_PROXIES } = readConfig({ TRUSTED_PROXIES: 'loopback' });
  const behind = openServer({
    config: { TRUSTED_PROXIES, SIMULATOR: false, production: false },
    log: openLog({ level: 'silent' }),
  });
  onTestFinished(async () => behind.close());
  behind.get('/ip', async ({ ip }) => ({ ip }));
  expect((await behind.inject({ url: '/ip', headers })).json()).toEqual({ ip: '198.51.100.9' });
});

function withHealth(checks: Record<string, Check>, { token }: { token?: string } = {}) {
  const { app } = aServer();
  const state = { open: true };
  openHealth(app, {
    checks,
    open: () => state.open,
    metricsText: async () => 'kabari_figure 1\n',
    metricsToken: token,
  });
  return { app, state };
}

test('readiness requires every part, and names the failing one', async () => {
  const database = vi.fn(async () => undefined);
  const { app, state } = withHealth({ database, relay: () => Promise.reject(new Error('late')) });
  const answer = await app.inject({ url: '/readyz' });
  expect(answer.statusCode).toBe(503);
  expect(answer.headers['retry-after']).toBe('5');
  expect(answer.json()).toEqual({
    status: 'failing',
    checks: { database: 'ok', relay: 'failing' },
  });
  expect((await app.inject({ url: '/healthz' })).statusCode).toBe(200);

  const well = withHealth({ database });
  expect((await well.app.inject({ url: '/readyz' })).statusCode).toBe(200);
  well.state.open = false;
  expect((await well.app.inject({ url: '/readyz' })).json().status).toBe('closing');
  expect(state.open).toBe(true);
});

test('a hundred concurrent requests run the checks once', async () => {
  const database = vi.fn(async () => undefined);
  const { app } = withHealth({ database });
  await Promise.all(Array.from({ length: 100 }, () => app.inject({ url: '/readyz' })));
  expect(database).toHaveBeenCalledTimes(1);
});

test('metrics are for this machine, or for callers with the token', async () => {
  const here = withHealth({}).app;
  expect((await here.inject({ url: '/metrics' })).payload).toBe('kabari_figure 1\n');
  const away = { url: '/metrics', remoteAddress: '203.0.113.7' };
  expect((await here.inject(away)).statusCode).toBe(404);
  const proxied = { url: '/metrics', headers: { 'x-forwarded-for': '127.0.0.1' } };
  expect((await here.inject(proxied)).statusCode).toBe(404);
  const guarded = withHealth({}, { token: 'long-enough' }).app;
  expect((await guarded.inject({ url: '/metrics' })).statusCode).toBe(404);
  const headers = { authorization: 'Bearer long-enough' };
  expect((await guarded.inject({ ...away, headers })).statusCode).toBe(200);
});

test('an overloaded server answers busy, but serves its pages and liveness', async () => {
  const { app } = withHealth({});
  app.get('/well', async () => ({}));
  // Like the web app's files, which have no route.
  app.setNotFoundHandler((_request, reply) => reply.send('a file'));
  const { BUSY_DELAY_MS: delayMsMax } = readConfig({ BUSY_DELAY_MS: '0' });
  const { app: calm } = aServer({ delayMsMax });
  calm.get('/well', async () => ({}));
  await Promise.all([app.ready(), calm.ready()]);
  await waitFor(async () => {
    const until = performance.now() + 900;
    while (performance.now() < until);
    const answer = await app.inject({ url: '/well' });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
    expect((await app.inject({ url: '/healthz' })).statusCode).toBe(200);
    expect((await app.inject({ url: '/assets/a-1.js' })).statusCode).toBe(200);
    const posted = await app.inject({ method: 'POST', url: '/assets/a-1.js' });
    expect(posted.statusCode).toBe(503);
    // With a limit of 0 it never refuses.
    expect((await calm.inject({ url: '/well' })).statusCode).toBe(200);
  });
});

/** Blocks this process, as many connections at once do. */
function stall(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

async function connected(app: FastifyInstance): Promise<Socket> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  const taken = once(app.server, 'connection');
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  await Promise.all([taken, once(socket, 'connect')]);
  return socket;
}

test('a caller who was in time is answered, however late the process reads it', async () => {
  const app = openServer({
    config: { TRUSTED_PROXIES: [], SIMULATOR: false, production: false },
    log: openLog({ level: 'silent' }),
    limits: { headersMs: 300, bodyMs: 300 },
  });
  onTestFinished(async () => app.close());
  app.post('/well', async () => 'taken');
  const socket = await connected(app);
  let heard = '';
  socket.setEncoding('latin1').on('data', (more: string) => (heard += more));
  const head = 'POST /well HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  socket.write(`${head}Content-Length: 2\r\n\r\n{}`);
  stall(2_500);
  await waitFor(() => expect(heard).toMatch(/^HTTP\/1\.1 200 [^]*taken$/));
  heard = '';
  const begun = once(app.server, 'request');
  socket.write(`${head}Content-Length: 2\r\n\r\n{`);
  await begun;
  socket.write('}');
  stall(700);
  await waitFor(() => expect(heard).toMatch(/^HTTP\/1\.1 200 [^]*taken$/));
  socket.destroy();
});

test('a single stall refuses no caller', async () => {
  const { app } = withHealth({});
  app.get('/well', async () => ({}));
  await app.ready();
  const statuses = new Set<number>();
  for (let times = 0; times < 2; times++) {
    stall(1_500);
    const until = performance.now() + 1_200;
    while (performance.now() < until) {
      statuses.add((await app.inject({ url: '/well' })).statusCode);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  expect([...statuses]).toEqual([200]);
});

test('only an installation with simulated phones lets its own pages use the camera', async () => {
  const app = openServer({
    config: { TRUSTED_PROXIES: [], SIMULATOR: true, production: false },
    log: openLog({ level: 'silent' }),
  });
  onTestFinished(async () => app.close());
  const answer = await app.inject({ url: '/' });
  expect(answer.headers['permissions-policy']).toContain('camera=(self), display-capture=(self)');
});

test('a connection above the limit gets 503 at once, and the next one is served when there is room', async () => {
  const { app } = aServer({ connectionsMax: 2 });
  app.get('/well', async () => 'taken');
  const port = await listenOn(app, { host: '127.0.0.1', port: 0 });
  const ask = async () => {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.setEncoding('latin1').on('data', (more: string) => (said += more));
    socket.write('GET /well HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    return said;
  };
  const idle = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await waitFor(() => expect(openConnections(app)).toBe(2));
  const refused = await ask();
  expect(refused).toMatch(/^HTTP\/1\.1 503 /);
  expect(refused).toMatch(/\r\nretry-after: 2\r\n/);
  expect(refused).toMatch(/\r\nx-content-type-options: nosniff\r\n/);
  for (const socket of idle) socket.destroy();
  await waitFor(() => expect(openConnections(app)).toBe(0));
  expect(await ask()).toMatch(/^HTTP\/1\.1 200 [^]*taken$/);
});

test.skipIf(process.platform !== 'linux')(
  'a busy process accepts many waiting connections per turn, and closes them all in the end',
  async () => {
    const { app } = aServer();
    const port = await listenOn(app, { host: '127.0.0.1', port: 0 });
    let taken = 0;
    app.server.on('connection', () => (taken += 1));
    const sockets = Array.from({ length: 64 }, () => connect(port, '127.0.0.1'));
    let turns = 0;
    while (taken < sockets.length) {
      stall(5);
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(turns).toBeLessThan(sockets.length / 2);
    await app.close();
    await waitFor(() => expect(openConnections(app)).toBe(0));
  },
);

test.skipIf(process.platform !== 'linux')(
  'a port used by another process of the same user is refused',
  async () => {
    const port = await listenOn(aServer().app, { host: '127.0.0.1', port: 0 });
    await expect(listenOn(aServer().app, { host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  },
);
