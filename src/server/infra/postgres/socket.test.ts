import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { houseSocket } from './socket.ts';
import { isTransient, openDatabase } from './database.ts';

let servers: Server[] = [];
afterEach(() => {
  servers.forEach((server) => server.close());
  servers = [];
});

/** A server of our own, and the port it listens on. */
async function serverThat(greets: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    greets(socket);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

const limits = { connectMs: 1_000, silenceMs: 0 };

/** A socket as the driver gets it. */
async function socketTo(port: number, query = ''): Promise<Socket> {
  const made = houseSocket(`postgres://ani@127.0.0.1:${port}/kabari${query}`, limits) as {
    socket: (to: object) => Promise<Socket>;
  };
  return made.socket({ host: ['127.0.0.1'], port: [port], path: false });
}

/** A start-up message with no parameters. */
const startup = Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0]);

describe('the first words on a connection', () => {
  test('are the start-up message, whatever the driver still had to say on the last', async () => {
    const heard = Promise.withResolvers<Buffer>();
    const port = await serverThat((socket) => socket.once('data', heard.resolve));
    const socket = await socketTo(port);
    socket.write(Buffer.concat([Buffer.from('Q\0\0\0\x0dselect 1\0'), startup]));
    expect(await heard.promise).toEqual(startup);
    socket.destroy();
  });

  test('are long enough that the driver does not wait for a timer it may have lost', async () => {
    const heard = Promise.withResolvers<Buffer>();
    const port = await serverThat((socket) => socket.once('data', heard.resolve));
    const sql = openDatabase(`postgres://ani@127.0.0.1:${port}/kabari`, {
      max: 1,
      as: 'tenant',
      name: 'tests',
    });
    sql`select 1`.catch(() => undefined);
    expect((await heard.promise).length).toBeGreaterThanOrEqual(1_024);
    await sql.end({ timeout: 0 });
  });
});

describe('a socket that fails', () => {
  test('says so in the same breath as it closes', async () => {
    const port = await serverThat((socket) => setImmediate(() => socket.resetAndDestroy()));
    const socket = await socketTo(port);
    const said: string[] = [];
    socket.on('error', () => {
      said.push('error');
      void Promise.resolve().then(() => said.push('later'));
    });
    const closed = new Promise<void>((resolve) => {
      socket.on('close', () => {
        said.push('close');
        resolve();
      });
    });
    socket.resume();
    await closed;
    await Promise.resolve();
    expect(said).toEqual(['error', 'close', 'later']);
  });

  test('to connect at all is an error for the statement, not for the process', async () => {
    const port = await serverThat(() => undefined);
    servers.forEach((server) => server.close());
    const sql = openDatabase(`postgres://ani@127.0.0.1:${port}/kabari`, {
      max: 1,
      as: 'tenant',
      name: 'tests',
    });
    for (let tries = 0; tries < 3; tries++) {
      expect(isTransient(await sql`select 1`.catch((error: unknown) => error))).toBe(true);
    }
    await sql.end({ timeout: 0 });
  });
});

test('a socket that cannot send takes more all the same, and sends it in order', async () => {
  const heard = Promise.withResolvers<Socket>();
  const port = await serverThat((socket) => heard.resolve(socket.pause()));
  const socket = await socketTo(port);
  socket.write(startup);
  const words = Array.from({ length: 64 }, (_, n) => Buffer.alloc(256_000, n));
  for (const word of words) expect(socket.write(word)).toBe(true);
  expect(socket.writableNeedDrain).toBe(true);
  socket.end();
  const taken: Buffer[] = await (await heard.promise).toArray();
  expect(Buffer.concat(taken).equals(Buffer.concat([startup, ...words]))).toBe(true);
});

const openssl = spawnSync('openssl', ['version']).status === 0;

/** A key and a certificate that nobody vouches for. */
function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'kabari-tls-'));
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=db'];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const pair = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(folder, { recursive: true });
  return pair;
}

describe.skipIf(!openssl)('TLS', () => {
  /** Answers the request for TLS, and echoes what comes through it. */
  const speaksTls = (pair: { key: Buffer; cert: Buffer }) => (socket: Socket) => {
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, ...pair });
      secure.on('error', () => undefined).on('data', (bytes) => secure.write(bytes));
    });
  };

  test('is spoken when the address asks for it', async () => {
    const port = await serverThat(speaksTls(selfSigned()));
    const socket = await socketTo(port, '?sslmode=require');
    expect(socket).toBeInstanceOf(TLSSocket);
    socket.write(startup);
    const [echo] = await once(socket, 'data');
    expect(echo).toEqual(startup);
    socket.destroy();
  });

  test('is refused when the address asks for proof and the certificate has none', async () => {
    const port = await serverThat(speaksTls(selfSigned()));
    const socket = await socketTo(port, '?sslmode=verify-full');
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  test('never falls back to plain text', async () => {
    const port = await serverThat((socket) => socket.once('data', () => socket.write('N')));
    const socket = await socketTo(port, '?sslmode=require');
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ message: 'the database does not speak TLS' });
  });
});
