import { type ChildProcess, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { describe, expect, onTestFinished } from 'vitest';
import { toPairs } from '#contract/base/form.ts';
import { publicId } from '#contract/base/ids.ts';
import { openDiskStore } from '#server/infra/file-store/open.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { openFiles } from '#server/domains/media/files.ts';
import { runningEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { readSecrets, sha256 } from '#server/infra/security/secrets.ts';
import { codeCache } from '#tests/support/app/code-cache.ts';
import { type Started, addressOf, test as base } from '#tests/support/app/started-app.ts';
import { hasDebianPostgres, startDebianPostgres } from '#tests/support/database/debian-postgres.ts';
import { fastFolder } from '#tests/support/database/fast-folder.ts';
import { type ImageDisk, makeImageDisk, mayMount } from '#tests/support/database/small-disk.ts';
import {
  changeUsers,
  customerWith,
  keyFor,
  makeSession,
  reservePhone,
} from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const PASSWORD = 'rahasia warung ani';
const DEVICE = 'browser-of-ani'.padEnd(43, '-');

const test = base.extend<{ place: string; disks: ImageDisk[] }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  place: async ({}, use) => {
    const place = await mkdtemp(join(fastFolder(), 'kabari-restore-'));
    // PostgreSQL's own user needs to pass through it.
    await chmod(place, 0o711);
    await use(place);
    await rm(place, { recursive: true, force: true });
  },
  /** Disks in `place`, which are unmounted before it is removed. */
  disks: async ({ place: _place }, use) => {
    const disks: ImageDisk[] = [];
    await use(disks);
    for (const disk of disks) disk.remove();
  },
});

const operator = (env: Record<string, string>, ...words: string[]) =>
  promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, '../tools/installation/operator.ts'), ...words],
    { env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: codeCache, ...env } },
  );

function databaseOf(folder: string): Sql {
  const url = runningEmbedded(folder);
  if (url === undefined) throw new Error('no database runs');
  return openDatabase(url, { max: 3, as: 'all accounts', name: 'tests' });
}

async function seedCustomer(sql: Sql, folder: string) {
  const ani = await customerWith(sql, { saldo: 1_000_000, dailyLimit: 100_000 });
  await changeUsers(sql, ani, { passwordHash: await hashPassword(PASSWORD) });
  await reservePhone(sql, ani);
  await sql`
    insert into known_devices (account_id, user_id, device_hash)
    values (${ani.accountId}, ${ani.userId}, ${sha256(DEVICE)})`;
  const key = await keyFor(sql, ani);
  const { token: session } = await makeSession(sql, ani, { device: DEVICE });
  const bytes = randomBytes(100_000);
  const files = openFiles({
    sql,
    store: openDiskStore(folder),
    dataFolder: folder,
    secrets: await readSecrets(sql),
  });
  const photo = await files.save({ accountId: ani.accountId, bytes, name: 'foto.bin' });
  return { ...ani, key, session, bytes, photo };
}

/** Sends messages one by one until stopped. @returns the ids answered with 202 */
function sendUntilStopped(address: string, key: string) {
  const accepted: string[] = [];
  let isOver = false;
  const send = async () => {
    while (!isOver) {
      const answer = await fetch(`${address}/v1/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to: '62800000001', text: { body: 'Halo' } }),
      }).catch(() => undefined);
      if (!answer) return;
      const { id } = (await answer.json()) as { id?: string };
      if (answer.status === 202 && id !== undefined) accepted.push(id);
    }
  };
  const sending = Promise.all([send(), send()]);
  return {
    accepted,
    stop: async () => {
      isOver = true;
      await sending;
    },
  };
}

/** Checks that accepted messages are stored and sent, and that the books are right. */
async function expectConsistent(sql: Sql, accountId: string, accepted: readonly string[]) {
  const rows = await sql<{ id: string }[]>`
    select message_id as id from messages where account_id = ${accountId}`;
  const stored = new Set(rows.map(({ id }) => publicId('message', id)));
  expect(accepted.filter((id) => !stored.has(id))).toEqual([]);
  await waitFor(async () => {
    const [left] = await sql`select count(*) as n from dispatch`;
    expect(left).toEqual({ n: 0 });
  });
  const [sent] = await sql`
    select count(*) as n from messages
    where account_id = ${accountId} and status in ('sent', 'delivered', 'read')`;
  expect(sent).toEqual({ n: stored.size });
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
}

const portalAt =
  (address: string) =>
  async (act: string, fields: Record<string, unknown> = {}) => {
    const answer = await fetch(`${address}/api`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        cookie: `kabari-device=${DEVICE}`,
      },
      body: new URLSearchParams(toPairs({ act, token: '', fcm: '', ...fields })).toString(),
    });
    // oxlint-disable-next-line no-explicit-any -- answers of any shape.
    return (await answer.json()) as any;
  };

async function signIn(ask: ReturnType<typeof portalAt>, phone: string): Promise<string> {
  const { data } = await ask('captcha_challenge', { for: 'user_login' });
  const { challenge } = data;
  const solution = await solveChallenge({ challenge, deriveKey });
  const captcha = Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
  const answer = await ask('user_login', { key: newId(), phone, password: PASSWORD, captcha });
  expect(answer, JSON.stringify(answer)).toMatchObject({ code: 1 });
  return answer.data.token;
}

async function powerCut(app: Started, folder: string): Promise<void> {
  const pid = Number(
    (await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0],
  );
  app.child.kill('SIGKILL');
  // Stopped, it starts no more processes, so all writers are known and gone before the disk is examined.
  process.kill(pid, 'SIGSTOP');
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const all = [...children.trim().split(' ').map(Number), pid];
  for (const one of all) process.kill(one, 'SIGKILL');
  await app.exit;
  await waitFor(() => expect(all.filter((one) => existsSync(`/proc/${one}`))).toEqual([]));
}

const ended = async (child: ChildProcess, exit: Promise<unknown>) => {
  child.kill('SIGTERM');
  await exit;
};

describe('an installation that was lost', () => {
  test('restores from a backup that was made while messages were accepted', async ({
    place,
    start,
  }) => {
    const folder = join(place, 'data');
    const env = { BACKUP_FOLDER: join(place, 'backups'), LANE_PACE_PER_SECOND: '40' };
    const own = { DATABASE_URL: '', PORT: '0', ...env };
    const lost = start({ ...own, KABARI_DATA: folder });
    const address = await addressOf(lost);
    const before = databaseOf(folder);
    const ani = await seedCustomer(before, folder);

    const sending = sendUntilStopped(address, ani.key);
    await waitFor(() => expect(sending.accepted.length).toBeGreaterThan(20));
    const early = [...sending.accepted];
    await operator({ ...env, KABARI_DATA: folder }, 'backup');
    const [row] = await before`select is_ok, bytes > 0 as has_bytes from backups`;
    expect(row).toEqual({ is_ok: true, has_bytes: true });
    await sending.stop();
    await before.end({ timeout: 0 });
    await powerCut(lost, folder);
    await rm(folder, { recursive: true });

    const [name = ''] = await readdir(env.BACKUP_FOLDER);
    const restored = join(place, 'restored');
    const restoring = await operator(env, 'restore', join(env.BACKUP_FOLDER, name), restored);
    expect(restoring.stdout).toContain(`KABARI_DATA=${restored} npm start`);
    expect(restoring.stdout).toMatch(/\d+ messages that waited then may have been sent since/);
    expect(restoring.stdout).not.toContain('broken');

    const restarted = start({ ...own, KABARI_DATA: restored, LANE_PACE_PER_SECOND: '0' });
    const ask = portalAt(await addressOf(restarted));
    const sql = databaseOf(restored);
    expect(await ask('user_check_token', { token: ani.session })).toMatchObject({ code: 0 });
    const token = await signIn(ask, ani.phone);
    const { result } = await ask('message_list', { token });
    expect(JSON.stringify(result)).toContain('Halo');
    const rows = await sql<{ id: string }[]>`
      select message_id as id from messages where account_id = ${ani.accountId}`;
    const stored = rows.map(({ id }) => publicId('message', id));
    expect(early.filter((id) => !stored.includes(id))).toEqual([]);
    expect(stored.filter((id) => !sending.accepted.includes(id))).toEqual([]);

    await waitFor(async () => {
      const [left] = await sql`select count(*) as n from dispatch`;
      expect(left).toEqual({ n: 0 });
    });
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
    const files = openFiles({
      sql,
      store: openDiskStore(restored),
      dataFolder: restored,
      secrets: await readSecrets(sql),
    });
    const photo = await files.read(ani.accountId, ani.photo.fileId);
    expect(photo?.bytes.equals(ani.bytes)).toBe(true);
    await sql.end();
    await ended(restarted.child, restarted.exit);
  });

  test.skipIf(!mayMount)(
    'starts from a disk after a power cut with every accepted message',
    async ({ place, disks, start }) => {
      const disk = makeImageDisk(join(place, 'disk'), 1_024);
      disks.push(disk);
      const folder = join(disk.folder, 'data');
      const own = { DATABASE_URL: '', PORT: '0', LANE_PACE_PER_SECOND: '40' };
      const lost = start({ ...own, KABARI_DATA: folder });
      const address = await addressOf(lost);
      const before = databaseOf(folder);
      const ani = await seedCustomer(before, folder);
      const sending = sendUntilStopped(address, ani.key);
      await waitFor(() => expect(sending.accepted.length).toBeGreaterThan(40));
      await writeFile(join(disk.folder, 'unsynced'), 'never reaches the disk');
      const accepted = [...sending.accepted];
      await powerCut(lost, folder);
      await sending.stop();
      await before.end({ timeout: 0 });

      const survived = disk.copyImage(join(place, 'survived'));
      disks.push(survived);
      expect(existsSync(join(survived.folder, 'unsynced'))).toBe(false);
      const restarted = start({
        ...own,
        KABARI_DATA: join(survived.folder, 'data'),
        LANE_PACE_PER_SECOND: '0',
      });
      await addressOf(restarted);
      const sql = databaseOf(join(survived.folder, 'data'));
      await expectConsistent(sql, ani.accountId, accepted);
      await sql.end();
      await ended(restarted.child, restarted.exit);
    },
  );
});

test.skipIf(!hasDebianPostgres)(
  'accepts, sends and keeps right books on the oldest supported PostgreSQL',
  async ({ start, folder }) => {
    const server = await startDebianPostgres();
    onTestFinished(server.stop);
    const admin = openDatabase(server.url, { max: 1, as: 'owner', name: 'admin' });
    await admin.query('create role juragan login createrole');
    await admin.query('create database toko owner juragan');
    await admin.end();
    const url = new URL(server.url);
    url.username = 'juragan';
    url.pathname = '/toko';
    const app = start({ DATABASE_URL: url.href });
    const address = await addressOf(app);
    const sql = openDatabase(url.href, { max: 3, as: 'all accounts', name: 'tests' });
    const ani = await seedCustomer(sql, folder);
    const sending = sendUntilStopped(address, ani.key);
    await waitFor(() => expect(sending.accepted.length).toBeGreaterThan(40));
    await sending.stop();
    await expectConsistent(sql, ani.accountId, sending.accepted);
    await sql.end();
    await ended(app.child, app.exit);
  },
);
