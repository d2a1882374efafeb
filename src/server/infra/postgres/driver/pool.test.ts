import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { isTransient, openDatabase } from '#server/infra/postgres/database.ts';

let servers: Server[] = [];
afterEach(() => {
  servers.forEach((server) => server.close());
  servers = [];
});

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

async function failureAt(port: number, query = ''): Promise<unknown> {
  const url = `postgres://ani@127.0.0.1:${port}/kabari${query}`;
  const sql = openDatabase(url, { max: 1, as: 'tenant', name: 'tests' });
  const failure: unknown = await sql`select 1`.catch((error: unknown) => error);
  await sql.end({ timeout: 0 });
  return failure;
}

describe('a server that cannot be reached', () => {
  test('is a transient error, and nothing was sent', async () => {
    for (const end of ['destroy', 'resetAndDestroy'] as const) {
      const port = await serverThat((socket) => setImmediate(() => socket[end]()));
      const failure = await failureAt(port);
      expect(isTransient(failure)).toBe(true);
      expect(failure).toMatchObject({ name: 'ConnectionLost', outcome: 'not sent' });
    }
  });

  test('receives the settings of a session in its first message', async () => {
    const heard = Promise.withResolvers<string>();
    const port = await serverThat((socket) =>
      socket.once('data', (bytes) => {
        heard.resolve(bytes.toString('utf8', 8));
        socket.destroy();
      }),
    );
    await failureAt(port, '?search_path=a%20b&options=-c%20work_mem%3D8MB%20--geqo%3Doff');
    const words = (await heard.promise).split('\0');
    expect(words).toEqual(expect.arrayContaining(['user', 'ani', 'database', 'kabari']));
    const options = words[words.indexOf('options') + 1];
    for (const setting of [
      'role=kabari_app',
      'statement_timeout=3000',
      'search_path=a\\ b',
      'work_mem=8MB',
      'geqo=off',
    ]) {
      expect(options).toContain(`-c ${setting}`);
    }
  });
});

const openssl = spawnSync('openssl', ['version']).status === 0;

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
  const speaksTls = (received: (bytes: Buffer) => void) => {
    const pair = selfSigned();
    return (socket: Socket) => {
      socket.once('data', () => {
        socket.write('S');
        const secure = new TLSSocket(socket, { isServer: true, ...pair });
        secure.on('error', () => undefined);
        secure.once('data', (bytes: Buffer) => {
          received(bytes);
          secure.destroy();
        });
      });
    };
  };

  test('is used if the address requests it', async () => {
    const received = Promise.withResolvers<Buffer>();
    const port = await serverThat(speaksTls(received.resolve));
    await failureAt(port, '?sslmode=require');
    expect((await received.promise).toString()).toContain('kabari');
  });

  test('fails if the address requires verification and the certificate is self-signed', async () => {
    const received: Buffer[] = [];
    const port = await serverThat(speaksTls((bytes) => received.push(bytes)));
    for (const mode of ['?sslmode=verify-full', '?sslmode=verify-ca', '?ssl=true']) {
      const failure = await failureAt(port, mode);
      expect(failure).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    }
    expect(received).toEqual([]);
  });

  test('never falls back to plain text', async () => {
    const received: Buffer[] = [];
    const port = await serverThat((socket) => {
      socket.once('data', () => {
        socket.on('data', (bytes: Buffer) => received.push(bytes));
        socket.write('N');
      });
    });
    const failure = await failureAt(port, '?sslmode=prefer');
    expect(failure).toMatchObject({ message: 'The server does not support SSL connections' });
    expect(received).toEqual([]);
  });
});
