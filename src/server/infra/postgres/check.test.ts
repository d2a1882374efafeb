import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { checkDatabase, waitForDatabase } from './check.ts';
import { openDatabase } from './database.ts';

const owner = (url: string) => openDatabase(url, { max: 1, as: 'owner', name: 'tests' });

async function refusal(url: string, options: Parameters<typeof checkDatabase>[1]): Promise<string> {
  const sql = owner(url);
  try {
    await checkDatabase(sql, options);
    return 'accepted';
  } catch (error) {
    return error instanceof Error && error.name === 'StartError' ? error.message : String(error);
  } finally {
    await sql.end({ timeout: 0 });
  }
}

async function answering(code: string, message: string): Promise<string> {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(body.length + 4, 1);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (first) => {
      const asksForTls = first.length === 8;
      socket.end(asksForTls ? 'N' : Buffer.concat([head, body]));
    });
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `postgres://ani:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/kabari`;
}

const local = { production: false };
const strict = { production: true };

describe('the database is refused', () => {
  test('if it does not answer, without showing the password', async () => {
    const sentence = await refusal('postgres://ani:hunter2@127.0.0.1:1/kabari', local);
    expect(sentence).toBe(
      'The database on 127.0.0.1:1 cannot be reached (ECONNREFUSED); check DATABASE_URL.',
    );
  });

  test('if it does not exist', async ({ db }) => {
    const url = new URL(db.url);
    url.pathname = '/nothing_here';
    expect(await refusal(url.href, local)).toContain('The database nothing_here does not exist');
  });

  test('if it requires TLS, distinct from a wrong password', async () => {
    const hostssl = 'no pg_hba.conf entry for host "127.0.0.1", user "ani", no encryption';
    const plain = await refusal(await answering('28000', hostssl), local);
    expect(plain).toMatch(/^The database on \S+ has no rule in pg_hba.conf .*\?sslmode=require/);
    const password = await answering('28P01', 'password authentication failed for user "ani"');
    expect(await refusal(password, local)).toMatch(/refuses the role ani or its password\.$/);
  });

  test('if the address requires TLS and the server has none', async () => {
    const url = await answering('28000', 'no TLS');
    expect(await refusal(`${url}?sslmode=require`, local)).toMatch(/has no TLS; turn it on there/);
  });

  test('if its clock is more than two seconds off', async ({ db }) => {
    const hurried = { ...local, now: () => Date.now() + 60_000 };
    expect(await refusal(db.url, hurried)).toMatch(/are \d+ s apart/);
    const late = { ...local, now: () => Date.now() - 60_000 };
    expect(await refusal(db.url, late)).toMatch(/are \d+ s apart/);
    const close = { ...local, now: () => Date.now() + 1_000 };
    expect(await refusal(db.url, close)).toBe('accepted');
  });

  test('in production, if the role is a superuser', async () => {
    const superuser = inject('databaseServer');
    expect(await refusal(superuser, strict)).toContain('enters as a superuser');
    expect(await refusal(superuser, local)).toBe('accepted');
  });

  test('in production, if it confirms commits before writing them', async ({ db }) => {
    expect(await refusal(db.url, strict)).toContain('has fsync off');
    expect(await refusal(db.url, local)).toBe('accepted');
  });
});

describe('a start', () => {
  const NOWHERE = 'postgres://ani:hunter2@127.0.0.1:1/kabari';
  const check = async (url: string) => {
    const sql = owner(url);
    try {
      await checkDatabase(sql, local);
      return 'prepared';
    } finally {
      await sql.end({ timeout: 0 });
    }
  };
  const waiting = (lines: string[]) => ({
    log: openLog({ level: 'warn' }, { write: (line) => void lines.push(line) }),
    signal: new AbortController().signal,
    againMs: 1,
  });

  test('retries until the database is available, and logs once that it waits', async ({ db }) => {
    const lines: string[] = [];
    const addresses = [NOWHERE, NOWHERE, NOWHERE];
    const prepared = waitForDatabase(waiting(lines))(() => check(addresses.pop() ?? db.url));
    expect(await prepared).toBe('prepared');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('cannot be reached (ECONNREFUSED)');
  });

  test('does not wait for a database that refuses it', async ({ db }) => {
    const lines: string[] = [];
    const missing = new URL(db.url);
    missing.pathname = '/nothing_here';
    await expect(waitForDatabase(waiting(lines))(() => check(missing.href))).rejects.toThrow(
      'does not exist',
    );
    const refused = new URL(db.url);
    refused.username = 'no_such_role';
    await expect(waitForDatabase(waiting(lines))(() => check(refused.href))).rejects.toThrow(
      'refuses the role',
    );
    expect(lines).toEqual([]);
  });
});
