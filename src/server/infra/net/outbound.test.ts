import { once } from 'node:events';
import type { LookupAddress } from 'node:dns';
import { type Server, createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test as base } from 'vitest';
import { privateHosts } from '#tests/support/private-hosts.ts';
import { isPublicAddress, OutboundError, openOutbound } from './outbound.ts';

type Canary = { port: number; visits: () => number };

/** Listens on this machine's own address; a connection means that the guard failed. */
const test = base.extend<{ canary: Canary }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  canary: async ({}, use) => {
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    server.listen(0, '::');
    await once(server, 'listening');
    await use({ port: (server.address() as AddressInfo).port, visits: () => visits });
    server.close();
  },
});

const asked = { headers: {}, body: 'x' };
const whyNot = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof OutboundError ? error.reason : String(error)),
  );

test('never connects to any notation of a private address', async ({ canary }) => {
  const { post } = openOutbound({ listed: [], ports: [canary.port] });
  const answers = await Promise.all(
    privateHosts.map(async (host) => [
      host,
      await whyNot(post({ ...asked, url: `https://${host}:${canary.port}/` })),
    ]),
  );
  const known = answers.filter(([host]) => host !== 'localhost.');
  expect(known.filter(([, why]) => why !== 'refused')).toEqual([]);
  expect(answers).toHaveLength(privateHosts.length);
  expect(canary.visits()).toBe(0);
});

test('refuses other schemes, ports, and passwords in the address', async () => {
  const { check } = openOutbound({ listed: [] });
  for (const url of [
    'http://example.com/',
    'gopher://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'https://example.com:22/',
    'https://me:secret@example.com/',
    'https://example.com@127.0.0.1/',
    `https://example.com/${'x'.repeat(2_100)}`,
    'https://',
    'example.com',
  ]) {
    expect(() => check(url), url).toThrow(OutboundError);
  }
  expect(check('https://example.com/a').hostname).toBe('example.com');
});

test('contacts a listed origin over https and http only', async ({ canary }) => {
  const origin = `http://127.0.0.1:${canary.port}`;
  const { check, get } = openOutbound({ listed: [origin] });
  for (const url of [`blob:${origin}/x`, `filesystem:${origin}/temporary/x`, `BLOB:${origin}`]) {
    expect(() => check(url), url).toThrow(OutboundError);
    expect(await whyNot(get({ headers: {}, url })), url).toBe('refused');
  }
  expect(canary.visits()).toBe(0);
  expect(check(`${origin}/x`).origin).toBe(origin);
});

test('checks all addresses of a name in the look-up that connects', async ({ canary }) => {
  const own = { address: '127.0.0.1', family: 4 };
  const open = { address: '93.184.216.34', family: 4 };
  const lists: LookupAddress[][] = [[own], [open, own], [open, { address: '::1', family: 6 }], []];
  for (const list of lists) {
    const { post } = openOutbound({
      listed: [],
      ports: [canary.port],
      resolve: (_name, _how, done) => done(null, list),
    });
    const why = await whyNot(post({ ...asked, url: `https://shop.example:${canary.port}/` }));
    expect(why).toBe(list.length === 0 ? 'unreachable' : 'refused');
  }
  expect(canary.visits()).toBe(0);
});

test('looks a changing name up only once, and refuses it', async ({ canary }) => {
  let looks = 0;
  const { post } = openOutbound({
    listed: [],
    ports: [canary.port],
    resolve: (_name, _how, done) => {
      looks += 1;
      done(null, [{ address: looks === 1 ? '10.1.2.3' : '93.184.216.34', family: 4 }]);
    },
  });
  const url = `https://flip.example:${canary.port}/`;
  expect(await whyNot(post({ ...asked, url }))).toBe('refused');
  expect(looks).toBe(1);
});

test('recognizes public addresses', () => {
  for (const address of ['8.8.8.8', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450::1']) {
    expect(isPublicAddress(address), address).toBe(true);
  }
  for (const address of ['', 'example.com', '8.8.8', '::ffff:8.8.8.8', '::8.8.8.8', '1::1']) {
    expect(isPublicAddress(address), address).toBe(false);
  }
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('returns a redirect without following it', async ({ canary }) => {
  const server = createHttp((_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/` });
    response.end();
  });
  const origin = await listening(server);
  const { post } = openOutbound({ listed: [origin] });
  expect(await post({ ...asked, url: `${origin}/hook` })).toMatchObject({ status: 302 });
  expect(canary.visits()).toBe(0);
  server.close();
});

test('reads 64 kB of an endless response, and returns its status', async () => {
  const server = createHttp((_request, response) => {
    response.writeHead(201);
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384)));
    };
    response.on('drain', pour);
    pour();
  });
  const origin = await listening(server);
  const answer = await openOutbound({ listed: [origin] }).post({ ...asked, url: origin });
  expect([answer.status, answer.body.length]).toEqual([201, 65_536]);
  server.close();
});

test('reports late if a response is late or incomplete', async () => {
  const server = createHttp((request, response) => {
    if (request.url === '/begins') response.writeHead(200).write('a');
  });
  const origin = await listening(server);
  const { post } = openOutbound({ listed: [origin], headersMs: 40 });
  expect(await whyNot(post({ ...asked, url: `${origin}/never` }))).toBe('late');
  expect(await whyNot(post({ ...asked, url: `${origin}/begins`, totalMs: 60 }))).toBe('late');
  const signal = AbortSignal.timeout(10);
  expect(await whyNot(post({ ...asked, url: `${origin}/never`, signal }))).toBe('ended');
  const closed = once(server, 'close');
  server.closeAllConnections();
  server.close();
  await closed;
  const silent = openOutbound({ listed: [], connectMs: 30, resolve: () => undefined });
  expect(await whyNot(silent.post({ ...asked, url: 'https://slow.example/' }))).toBe('late');
  const calm = openOutbound({ listed: [origin] });
  expect(await whyNot(calm.post({ ...asked, url: `${origin}/gone` }))).toBe('unreachable');
});
