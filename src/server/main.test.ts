import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, stat } from 'node:fs/promises';
import { type Socket, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readConfig } from './infra/config.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { openLeavingProxy } from '#tests/support/database/wire/wire-proxy.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { serverEntry } from '#tests/support/app/code-cache.ts';
import { addressOf, ended, hasScript, oneSentence, test } from '#tests/support/app/started-app.ts';
import { changeUsers } from '#tests/support/people/people.ts';

/** The path of the first operator's password in the start's output. */
const placeIn = (words: string): string =>
  /operator signs in stands in (\S+), which only this user can read/.exec(words)?.[1] ?? '';

test('a start prints its address, and the path of the first operator’s password until it was used', async ({
  start,
  folder,
  db,
}) => {
  const first = start();
  const address = await addressOf(first);
  expect(first.out()).toContain('/simulator');
  expect(first.out()).not.toMatch(/\w{5}(-\w{5}){3}/);
  const path = placeIn(first.out());
  expect(path).toBe(join(folder, 'first-operator.txt'));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).toMatch(
    /^ {2}phone {5}6281100000000\n {2}password {2}\w{5}(-\w{5}){3}\n$/,
  );
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  first.child.kill('SIGTERM');
  expect(await first.exit).toBe(0);
  const second = start();
  await addressOf(second);
  expect(placeIn(second.out())).toBe(path);
  second.child.kill('SIGTERM');
  await second.exit;
  await changeUsers(db.allAccountsSql, { role: 'operator' }, { signedInAt: 'now' });
  await addressOf(start());
  await waitFor(() => expect(existsSync(path)).toBe(false));
  const last = start();
  await addressOf(last);
  expect(placeIn(last.out())).toBe('');
});

test.skipIf(!hasScript)(
  'a terminal shows the password once, and no file is written',
  async ({ start, folder }) => {
    const first = start({}, { terminal: true });
    await addressOf(first);
    expect(first.out()).toMatch(/phone {5}6281100000000\r?\n {2}password {2}\w{5}(-\w{5}){3}\r?\n/);
    expect(existsSync(join(folder, 'first-operator.txt'))).toBe(false);
    const second = start();
    await addressOf(second);
    expect(second.out()).not.toContain('password');
  },
);

test.skipIf(!hasScript)('when its terminal is closed, it closes too', async ({ start }) => {
  const terminal = start({}, { terminal: true });
  await addressOf(terminal);
  const { pid } = terminal.child;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const place = `/proc/${children.trim()}`;
  expect(await readFile(`${place}/cmdline`, 'utf8')).toContain(serverEntry);
  terminal.child.kill('SIGKILL');
  await waitFor(() => expect(existsSync(place)).toBe(false));
});

test('an operator whose password cannot be delivered is not created; the next start creates one', async ({
  start,
  folder,
  db,
}) => {
  await mkdir(join(folder, 'first-operator.txt/in the way'), { recursive: true });
  expect((await ended(start())).code).toBe(1);
  expect(await db.allAccountsSql`select from users where role = 'operator'`).toEqual([]);
  await rm(join(folder, 'first-operator.txt'), { recursive: true });
  const second = start();
  await addressOf(second);
  expect(placeIn(second.out())).toBe(join(folder, 'first-operator.txt'));
});

test('a stop signal lets it finish current work and exit', async ({ start }) => {
  const app = start();
  const address = await addressOf(app);
  const body = new URLSearchParams({ act: 'app_config', token: '', fcm: '' });
  const asked = Array.from({ length: 50 }, () => fetch(`${address}/api`, { method: 'POST', body }));
  await asked[0];
  app.child.kill('SIGINT');
  const answers = await Promise.allSettled(asked);
  for (const answer of answers) {
    if (answer.status === 'fulfilled') expect([200, 503]).toContain(answer.value.status);
  }
  expect(await app.exit).toBe(0);
  expect(app.err()).toBe('');
});

test('a port in use is reported in one sentence', async ({ start }) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  expect(await ended(start({ PORT: String(port) }))).toEqual({
    code: 1,
    err: `Port ${port} is taken by another program; stop it, or choose another with PORT=${port + 1} npm start.\n`,
  });
  other.close();
});

test('a port in use is found before a database is created', async ({ start, folder }) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  expect(await ended(start({ PORT: String(port), DATABASE_URL: '' }))).toEqual(
    oneSentence(/^Port \d+ is taken/),
  );
  expect(await readdir(folder)).toEqual([]);
  other.close();
});

test.for(['SIGTERM', 'SIGINT'] as const)(
  '%s during the start ends it with one sentence',
  async (signal, { start }) => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const connected = once(silent, 'connection');
    const app = start({ DATABASE_URL: `postgres://kabari@127.0.0.1:${port}/kabari` });
    const [socket] = (await connected) as [Socket];
    app.child.kill(signal);
    await waitFor(() => expect(app.out()).toContain('"msg":"closing"'));
    socket.destroy();
    silent.close();
    expect(await ended(app)).toEqual({
      code: 0,
      err: 'Stopped before the start was complete; the next start continues.\n',
    });
  },
);

test('a misspelt setting is named in the log', async ({ start }) => {
  const app = start({ TRUSTED_PROXY: 'loopback' });
  await addressOf(app);
  expect(app.out()).toMatch(/"given":"TRUSTED_PROXY","meant":"TRUSTED_PROXIES"/);
});

async function openIdle(address: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(address);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.allSettled(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

test.skipIf(process.platform === 'win32')(
  'running out of descriptors leaves the process running and its health endpoint readable',
  async ({ start }) => {
    const app = start({ LOG_LEVEL: 'info' }, { descriptors: 256 });
    const address = await addressOf(app);
    const [, port] = await waitFor(() => {
      const found = /"health":(\d+)/.exec(app.out());
      if (!found) throw new Error('not open');
      return found;
    });
    const idle = await openIdle(address, 400);
    const health = `http://127.0.0.1:${port}`;
    await waitFor(async () =>
      expect(await (await fetch(`${health}/metrics`)).text()).toMatch(
        /^kabari_connections_max 96$/m,
      ),
    );
    const figures = await (await fetch(`${health}/metrics`)).text();
    expect(figures).toMatch(/^kabari_descriptors_limit 256$/m);
    expect(figures).toMatch(/^kabari_descriptors_used \d+$/m);
    expect((await fetch(`${health}/readyz`)).status).toBe(200);
    for (const socket of idle) socket.destroy();
    await waitFor(async () => expect((await fetch(`${address}/healthz`)).status).toBe(200));
    app.child.kill('SIGTERM');
    expect(await app.exit).toBe(0);
    expect(app.err()).toBe('');
  },
);

test('two processes on one machine do not conflict by default', () => {
  const { PORT, HEALTH_PORT } = readConfig({});
  expect(HEALTH_PORT).not.toBe(PORT);
});

test('a wrong password, a database that does not exist, or a wrong setting is one sentence', async ({
  db,
  start,
}) => {
  const elsewhere = new URL(db.wholeUrl);
  elsewhere.pathname = '/nothing_here';
  const [missing, odd, strict] = await Promise.all([
    ended(start({ DATABASE_URL: elsewhere.href })),
    ended(start({ PORT: 'three' })),
    ended(start({ NODE_ENV: 'production' })),
  ]);
  expect(missing).toEqual(oneSentence(/^The database nothing_here does not exist/));
  expect(odd).toEqual(oneSentence(/^PORT must be /));
  expect(strict).toEqual(oneSentence(/PUBLIC_URL/));
});

test('a start waits for an unreachable database, logs it, and stops on a signal', async ({
  start,
}) => {
  const app = start({ DATABASE_URL: 'postgres://kabari:hunter2@127.0.0.1:1/kabari' });
  await waitFor(() => expect(app.out()).toContain('the database is away: the start waits for it'));
  expect(app.out()).toContain('The database on 127.0.0.1:1 cannot be reached (ECONNREFUSED)');
  expect(app.out()).not.toContain('hunter2');
  app.child.kill('SIGTERM');
  expect(await app.exit).toBe(0);
  expect(app.err()).toMatch(/^Stopped before the start was complete/);
});

/** A fragment of a statement from each start step that uses the database. */
const STEPS = [
  'from schema_functions',
  'a trial',
  'from installation_secrets',
  'from prices',
  'insert into tokens',
  'insert into sellers',
  'vapid',
];

test('a start continues after the database was unreachable during any of its steps', async ({
  db,
  start,
}) => {
  const link = await openLeavingProxy(
    db.wholeUrl,
    STEPS.map((text) => [text]),
  );
  const app = start({ DATABASE_URL: link.url });
  for (const step of STEPS) {
    await waitFor(() => expect([step, link.isAway(), app.err()]).toEqual([step, true, '']));
    link.comeBack();
  }
  const address = await addressOf(app);
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  expect(app.out()).toContain('the database is away: the start waits for it');
  app.child.kill('SIGTERM');
  expect(await app.exit).toBe(0);
  expect(app.err()).toBe('');
  link.close();
});

test.skipIf(!hasScript)(
  'the password is shown also when the answer to its COMMIT was lost',
  async ({ db, start }) => {
    const link = await openLeavingProxy(db.wholeUrl, [['first operator', 'k_commit']]);
    const app = start({ DATABASE_URL: link.url }, { terminal: true });
    await waitFor(() => expect(app.out()).toContain('the start waits for it'));
    link.comeBack();
    await addressOf(app);
    expect(app.out()).toMatch(/phone {5}6281100000000\r?\n {2}password {2}\w{5}(-\w{5}){3}\r?\n/);
    link.close();
  },
);

test('a step refused by the database ends the start with one sentence', async ({ db, start }) => {
  await db.owner`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'canceling statement' using errcode = '57014'; end $$`;
  await db.owner`
    create trigger refuse before insert on sellers for each row execute function refuse()`;
  expect(await ended(start())).toEqual(oneSentence(/^The database refused a step of the start/));
});

test('a database of a version before 1.0.0 ends the start with one sentence', async ({
  db,
  start,
}) => {
  await db.owner`update migrations set name = '0001_foundation.sql' where name like '0001%'`;
  expect(await ended(start())).toEqual(
    oneSentence(/^This database was made by a version before 1\.0\.0 .*, then start again\.$/m),
  );
});

async function waitingWork({ allAccountsSql }: TestDatabase): Promise<number> {
  const [row] = await allAccountsSql<{ n: number }[]>`
    select (select count(*) from outbox) + (select count(*) from dispatch) as n`;
  return row?.n ?? -1;
}

test('one process accepts, another sends: web and worker on one database', async ({
  db,
  start,
}) => {
  const web = start({ ROLE: 'web' });
  const address = await addressOf(web);
  const phone = '628123456789';
  const post = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ token: '', fcm: '', ...fields });
    const headers = { 'sec-fetch-site': 'same-origin' };
    return (await fetch(`${address}/api`, { method: 'POST', body, headers })).json();
  };
  const [system] = await db.allAccountsSql<{ account_id: string }[]>`
    select account_id from accounts where is_system`;
  await db.allAccountsSql`
    insert into outbox (account_id, outbox_id, kind, data)
    values (${system?.account_id ?? ''}, gen_random_uuid(), 'saldo.changed',
      '{"available": 0, "held": 0}')`;
  expect(await waitingWork(db)).toBe(1);
  // Waiting work does not make a web-only node unready.
  await db.allAccountsSql`update outbox set at = at - interval '1 hour'`;
  const ready = await fetch(`${address}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([200, { checks: { relay: 'failing' } }]);
  const worker = start({ ROLE: 'worker' });
  const health = await waitFor(() => {
    const [, port] = /"port":(\d+),"msg":"the application is open"/.exec(worker.out()) ?? [];
    if (!port) throw new Error(`not open: ${worker.out()} ${worker.err()}`);
    return `http://127.0.0.1:${port}`;
  });
  await waitFor(async () => expect(await waitingWork(db)).toBe(0));
  expect((await fetch(`${health}/healthz`)).status).toBe(200);
  expect(await (await fetch(`${health}/readyz`)).json()).toMatchObject({
    status: 'ready',
    checks: { database: 'ok', disk: 'ok', relay: 'ok', lanes: 'ok' },
  });
  expect(await (await fetch(`${health}/metrics`)).text()).toContain('\nkabari_lanes_running 0\n');
  for (const path of ['/', '/api', '/v1/messages']) {
    expect((await fetch(`${health}${path}`)).status).toBe(404);
  }
  expect(await post({ act: 'simulator_phone', phone })).toMatchObject({ code: 1, data: { phone } });
  for (const { child } of [web, worker]) child.kill('SIGTERM');
  expect(await Promise.all([web.exit, worker.exit])).toEqual([0, 0]);
});
