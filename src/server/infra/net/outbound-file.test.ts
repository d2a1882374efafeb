import { once } from 'node:events';
import type { LookupAddress } from 'node:dns';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type RequestListener, createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base } from 'vitest';
import { privateHosts } from '#tests/support/private-hosts.ts';
import { FetchError, type FileClient, openFileClient } from './outbound-file.ts';

type Canary = { port: number; visits: () => number };

const test = base.extend<{
  /** Listens on this machine's own address; a connection means that the guard failed. */
  canary: Canary;
  serve: (listener: RequestListener) => Promise<string>;
  folder: string;
}>({
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
  // oxlint-disable-next-line no-empty-pattern -- as above.
  serve: async ({}, use) => {
    const servers: ReturnType<typeof createHttp>[] = [];
    await use(async (listener) => {
      const server = createHttp(listener);
      servers.push(server);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  },
  // oxlint-disable-next-line no-empty-pattern -- as above.
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kabari-fetch-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
});

let files = 0;
const fetching = (folder: string, client: FileClient, url: string, bytesMax = 1_000) => {
  const path = join(folder, `file-${++files}`);
  return client.fetch({ url, path, bytesMax }).then(
    async (fetched) => ({ ...fetched, bytes: await readFile(path) }),
    (error: unknown) => (error instanceof FetchError ? error.reason : String(error)),
  );
};

test('never connects to any notation of a private address, over https or http', async ({
  canary,
  folder,
}) => {
  const client = openFileClient({ listed: [], ports: [canary.port] });
  const urls = privateHosts.flatMap((host) =>
    ['https', 'http'].map((scheme) => `${scheme}://${host}:${canary.port}/a.png`),
  );
  const answers = await Promise.all(
    urls.map(async (url) => ({ url, why: await fetching(folder, client, url) })),
  );
  const known = answers.filter(({ url }) => !url.includes('localhost.:'));
  expect(known.filter(({ why }) => why !== 'refused')).toEqual([]);
  expect(canary.visits()).toBe(0);
});

test('refuses other schemes, unusual ports and passwords in the address', async ({ folder }) => {
  const client = openFileClient({ listed: [] });
  for (const url of [
    'ftp://example.com/a.png',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'https://example.com:22/a.png',
    'https://me:secret@example.com/a.png',
    `https://example.com/${'x'.repeat(2_100)}`,
    'example.com/a.png',
  ]) {
    expect(await fetching(folder, client, url), url).toBe('refused');
  }
});

test('checks all addresses of a name in the look-up that connects', async ({ canary, folder }) => {
  const open = { address: '93.184.216.34', family: 4 };
  const lists: LookupAddress[][] = [
    [{ address: '127.0.0.1', family: 4 }],
    [open, { address: '10.0.0.1', family: 4 }],
    [open, { address: '::1', family: 6 }],
    [{ address: '64:ff9b::7f00:1', family: 6 }],
    [{ address: '::ffff:127.0.0.1', family: 6 }],
  ];
  for (const list of lists) {
    const client = openFileClient({
      listed: [],
      ports: [canary.port],
      resolve: (_name, _how, done) => done(null, list),
    });
    const url = `http://shop.example:${canary.port}/a.png`;
    expect(await fetching(folder, client, url)).toBe('refused');
  }
  expect(canary.visits()).toBe(0);
});

test('refuses a name that resolves to a private address at the second request', async ({
  canary,
  folder,
  serve,
}) => {
  // The first response redirects to a name not looked up so far; by then it resolves to this machine.
  let looks = 0;
  const origin = await serve((_request, response) => {
    response.writeHead(302, { location: `http://flip.example:${canary.port}/a.png` }).end();
  });
  const client = openFileClient({
    listed: [origin],
    ports: [canary.port],
    resolve: (_name, _how, done) => {
      looks += 1;
      done(null, [{ address: looks > 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }]);
    },
  });
  expect(await fetching(folder, client, `${origin}/a.png`)).toBe('refused');
  expect([looks, canary.visits()]).toEqual([1, 0]);
});

test('refuses a redirect to any notation of a private address', async ({
  canary,
  folder,
  serve,
}) => {
  const hosts = privateHosts.filter((host) => host !== 'localhost.');
  const origin = await serve((request, response) => {
    const host = hosts[Number(request.url?.slice(1))];
    const to = Buffer.from(`http://${host}:${canary.port}/`).toString('latin1');
    response.writeHead(307, { location: to }).end();
  });
  const client = openFileClient({ listed: [origin], ports: [canary.port] });
  const answers = await Promise.all(
    hosts.map((_host, index) => fetching(folder, client, `${origin}/${index}`)),
  );
  expect(new Set(answers)).toEqual(new Set(['refused']));
  expect(canary.visits()).toBe(0);
});

test('follows three redirects, and names the file after the last address', async ({
  folder,
  serve,
}) => {
  const origin = await serve((request, response) => {
    const left = Number(/^\/(\d)$/.exec(request.url ?? '')?.[1] ?? 0);
    if (left > 0) response.writeHead(302, { location: left > 1 ? `/${left - 1}` : '/b%20c.png' });
    else response.writeHead(200, { 'content-type': 'image/png' });
    response.end('png');
  });
  const client = openFileClient({ listed: [origin] });
  expect(await fetching(folder, client, `${origin}/3`)).toEqual({
    type: 'image/png',
    name: 'b c.png',
    bytes: Buffer.from('png'),
  });
  expect(await fetching(folder, client, `${origin}/4`)).toBe('missing');
});

test('uses the file name of the host', async ({ folder, serve }) => {
  const given = [
    ['attachment; filename="a b.pdf"', 'a b.pdf'],
    ["attachment; filename=x.pdf; filename*=UTF-8''struk%20%E2%82%AC.pdf", 'struk €.pdf'],
    ['inline', 'file'],
  ] as const;
  const origin = await serve((request, response) => {
    const [disposition = ''] = given[Number(request.url?.split('/')[1])] ?? [];
    response.writeHead(200, { 'content-disposition': disposition }).end('x');
  });
  const client = openFileClient({ listed: [origin] });
  for (const [index, [, name]] of given.entries()) {
    expect(await fetching(folder, client, `${origin}/${index}/file`)).toMatchObject({ name });
  }
});

test('stops reading a file that is too large, also with a false length', async ({
  folder,
  serve,
}) => {
  let poured = 0;
  const origin = await serve((request, response) => {
    if (request.url === '/claims') {
      response.writeHead(200, { 'content-length': 5_000 }).flushHeaders();
      return;
    }
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384))) poured += 16_384;
    };
    response.on('drain', pour);
    pour();
  });
  const client = openFileClient({ listed: [origin] });
  expect(await fetching(folder, client, `${origin}/claims`)).toBe('too_large');
  expect(await fetching(folder, client, `${origin}/endless`, 100_000)).toBe('too_large');
  expect(poured).toBeLessThan(20_000_000);
});

test('rejects missing, compressed and truncated files', async ({ folder, serve }) => {
  const origin = await serve((request, response) => {
    const path = request.url ?? '';
    if (path === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    else if (path === '/cut') {
      response.writeHead(200, { 'content-length': 100 }).write('only this');
      response.destroy();
    } else response.writeHead(Number(path.slice(1))).end();
  });
  const client = openFileClient({ listed: [origin] });
  const of = (path: string) => fetching(folder, client, `${origin}${path}`);
  expect(await Promise.all(['/404', '/403', '/204', '/gzip'].map(of))).toEqual(
    Array(4).fill('missing'),
  );
  expect(await Promise.all(['/500', '/503', '/429'].map(of))).toEqual(Array(3).fill('trouble'));
  expect(await of('/cut')).toBe('unreachable');
});

test('gives up on a host that never answers, pauses, or is too slow', async ({ folder, serve }) => {
  const origin = await serve((request, response) => {
    if (request.url === '/never') return;
    response.writeHead(200).write('a');
    if (request.url !== '/drips') return;
    const drip = setInterval(() => response.write('a'), 5);
    response.on('close', () => clearInterval(drip));
  });
  const within = (limits: object) => openFileClient({ listed: [origin], limits });
  const of = (path: string, limits: object) => fetching(folder, within(limits), origin + path);
  expect(await of('/never', { headersMs: 40 })).toBe('late');
  expect(await of('/begins', { silenceMs: 40 })).toBe('late');
  expect(await of('/drips', { totalMs: 80 })).toBe('late');
  const silent = openFileClient({
    listed: [],
    resolve: () => undefined,
    limits: { connectMs: 30 },
  });
  expect(await fetching(folder, silent, 'https://slow.example/a.png')).toBe('late');
  const path = join(folder, 'ended');
  const signal = AbortSignal.timeout(20);
  const ended = within({}).fetch({ url: `${origin}/never`, path, bytesMax: 1, signal });
  await expect(ended).rejects.toMatchObject({ reason: 'ended' });
});

test('contacts a listed origin over https and http only, also after a redirect', async ({
  serve,
  folder,
}) => {
  let to = '';
  let visits = 0;
  const origin = await serve((_request, response) => {
    visits += 1;
    response.writeHead(302, { location: to }).end();
  });
  const client = openFileClient({ listed: [origin] });
  for (const url of [`blob:${origin}/x`, `filesystem:${origin}/temporary/x`]) {
    expect(await fetching(folder, client, url), url).toBe('refused');
    to = url;
    expect(await fetching(folder, client, `${origin}/a`), url).toBe('refused');
  }
  expect(visits).toBe(2);
});
