import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { readArchiving } from '#server/infra/backup/archiving.ts';
import { readConfig } from '#server/infra/config.ts';
import { failedJobs } from '#server/infra/jobs.ts';
import { readDatabaseFacts } from '#server/infra/postgres/check.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { compareMigrations } from '#server/infra/postgres/migrations.ts';
import { countSealedSecrets, readSecrets, storedSecret } from '#server/infra/security/secrets.ts';
import { freePort } from '#server/infra/embedded-postgres/embedded.ts';
import { test } from '#tests/support/database/database.ts';
import { foreignBackup, lastRun, newestBackup, ownDisk } from './backups.ts';
import { clocks, databaseVersion, durability, migrations, superuser, replica } from './database.ts';
import { ago, finding, linesOf, warning } from './finding.ts';
import { dataFolder, disk, firstPassword, keyFile, listening } from './machine.ts';
import {
  captcha,
  nodeVersion,
  production,
  proxies,
  secretKey,
  secondFactors,
  settingNames,
  simulator,
  waitingSettings,
} from './settings.ts';
import { auditLog, books, jobs, lanes, money, outbox } from './work.ts';

const NOW = new Date('2026-11-23T10:00:00Z');
const before = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);
const windows = process.platform === 'win32';

async function someFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const inProduction = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://kabari.example',
  SECRET_KEY: 'a-key-of-chance-0123456789-abcdefghij',
  TRUSTED_PROXIES: 'loopback',
  BANK_NAME: 'BCA',
  BANK_NUMBER: '1',
  BANK_HOLDER: 'PT',
};

describe('the doctor’s findings about the settings', () => {
  test('reports an outdated Node', () => {
    expect(nodeVersion('v26.10.0').state).toBe('ok');
    expect(nodeVersion('v25.9.0').state).toBe('wrong');
  });

  test('reports disabled strict rules', () => {
    expect(production(readConfig({})).state).toBe('warning');
    expect(production(readConfig(inProduction)).state).toBe('ok');
    const plain = { ...readConfig(inProduction), PUBLIC_URL: 'http://kabari.example' };
    expect(production(plain).state).toBe('wrong');
    expect(simulator(readConfig(inProduction)).says).toContain('off');
    expect(simulator(readConfig({})).says).toContain('on');
  });

  test('reports variables that resemble settings', () => {
    expect(settingNames({ ...inProduction, HOME: '/root' }).state).toBe('ok');
    const { says, state } = settingNames({ TRUSTED_PROXY: 'loopback' });
    expect([state, says]).toEqual(['warning', expect.stringContaining('TRUSTED_PROXIES')]);
  });

  test('reports captcha test keys, which let everybody through', () => {
    const keys = (site: string, secret: string) =>
      captcha(
        readConfig({
          CAPTCHA_PROVIDER: 'turnstile',
          CAPTCHA_SITE_KEY: site,
          CAPTCHA_SECRET_KEY: secret,
        }),
      ).state;
    expect(captcha(readConfig({})).state).toBe('ok');
    expect(keys('0x4AAAAAAABkMYinukE8nzYS', '0x4AAAAAAABkMYinukE8nzYSsecret')).toBe('ok');
    expect(keys('1x00000000000000000000AA', '1x0000000000000000000000000000000AA')).toBe('wrong');
    expect(keys('6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI', 'mine')).toBe('wrong');
    expect(keys('10000000-ffff-ffff-ffff-000000000001', 'mine')).toBe('wrong');
  });

  test('reports trusted proxies that could be anybody', () => {
    expect(proxies(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8' })).state).toBe('ok');
    expect(proxies(readConfig({ TRUSTED_PROXIES: '0.0.0.0/0' })).state).toBe('wrong');
  });

  test('reports operators without a second factor', () => {
    const of = (hasFactor: boolean) =>
      secondFactors({ OPERATOR_SECOND_FACTOR: 'required' }, [{ name: 'Rina', hasFactor }]);
    expect(of(true).state).toBe('ok');
    expect(of(false)).toMatchObject({ state: 'warning', says: expect.stringContaining('Rina') });
  });

  test('reports a missing SECRET_KEY, or one that does not open the sealed data', async ({
    sql,
  }) => {
    const { SECRET_KEY } = inProduction;
    await storedSecret(sql, await readSecrets(sql, { SECRET_KEY }), { name: 'x', make: () => 'y' });
    const config = readConfig(inProduction);
    expect(secretKey(config, await countSealedSecrets(sql, { SECRET_KEY })).state).toBe('ok');
    expect(
      secretKey(config, await countSealedSecrets(sql, { SECRET_KEY: `${SECRET_KEY}!` })).state,
    ).toBe('wrong');
    const rotating = { SECRET_KEY: `${SECRET_KEY}!`, SECRET_KEY_SECOND: SECRET_KEY };
    const found = await countSealedSecrets(sql, rotating);
    expect(secretKey(readConfig({ ...inProduction, ...rotating }), found)).toMatchObject({
      state: 'warning',
      remedy: expect.stringContaining('rotate-key'),
    });
    expect(secretKey(readConfig({}), { sealed: 0, opened: 0, outdated: 0 }).state).toBe('warning');
  });
});

describe('the doctor’s findings about a replica', () => {
  const standing = {
    isOurs: true,
    isPrimary: false,
    isStandby: true,
    isCaughtUp: true,
    lagSeconds: 0,
  };
  test.for([
    ['ok', standing],
    ['warning', { ...standing, lagSeconds: 61 }],
    ['warning', { ...standing, lagSeconds: null }],
    ['warning', { ...standing, isPrimary: true, isStandby: false }],
    ['warning', { ...standing, isStandby: false }],
    ['wrong', { ...standing, isOurs: false }],
    ['warning', undefined],
  ] as const)('%s', ([state, found]) => {
    expect(replica(found).state).toBe(state);
  });
});

describe('the doctor’s findings about the machine', () => {
  test.skipIf(windows)('reports a data folder that is missing, or readable by others', async () => {
    const folder = await someFolder();
    expect((await dataFolder(folder)).state).toBe('ok');
    await chmod(folder, 0o711);
    expect((await dataFolder(folder)).state).toBe('ok');
    await chmod(folder, 0o755);
    expect((await dataFolder(folder)).state).toBe('wrong');
    expect((await dataFolder(join(folder, 'none'))).state).toBe('wrong');
  });

  test('reports a disk that is full, or nearly', async () => {
    const with_ = async (bytes: number) => (await disk('the data', '/x', async () => bytes)).state;
    expect(await with_(5e9)).toBe('ok');
    expect(await with_(5e8)).toBe('warning');
    expect(await with_(1e6)).toBe('wrong');
  });

  test('reports an unused first password', async () => {
    const folder = await someFolder();
    expect((await firstPassword(folder)).state).toBe('ok');
    await writeFile(join(folder, 'first-operator.txt'), 'x');
    expect((await firstPassword(folder)).state).toBe('warning');
  });

  test.skipIf(windows)('reports a key file that is readable by others, or missing', async () => {
    const path = join(await someFolder(), 'key');
    expect((await keyFile(path)).state).toBe('wrong');
    await writeFile(path, 'x', { mode: 0o600 });
    expect((await keyFile(path)).state).toBe('ok');
    await chmod(path, 0o644);
    expect((await keyFile(path)).state).toBe('wrong');
  });

  test('reports a port in use by another program, or without an answer', async () => {
    const [host, port] = ['127.0.0.1', await freePort()];
    expect((await listening({ host, port: 0, isRunning: false })).state).toBe('ok');
    expect((await listening({ host, port, isRunning: false })).state).toBe('warning');
    expect((await listening({ host, port, isRunning: true })).state).toBe('wrong');
    const other = createServer((_, reply) => reply.end('hello'));
    await new Promise<void>((done) => other.listen(port, '127.0.0.1', done));
    expect(await listening({ host, port, isRunning: false })).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining('else than Kabari'),
    });
    await new Promise((done) => other.close(done));
  });

  test('reports an application that is not ready', async () => {
    const answering = (checks: object) => async () => Response.json({ checks });
    const given = { host: '10.0.0.11', port: 3000, isRunning: true };
    expect((await listening({ ...given, ask: answering({ disk: 'ok' }) })).state).toBe('ok');
    expect(await listening({ ...given, ask: answering({ disk: 'failing' }) })).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining('disk'),
    });
  });

  test('queries the application at its own address', async () => {
    const asked: string[] = [];
    const ask = async (url: string) => {
      asked.push(url);
      return Response.json({ checks: {} });
    };
    for (const host of ['10.0.0.11', '0.0.0.0', '::', '::1']) {
      await listening({ host, port: 3000, isRunning: true, ask });
    }
    const places = ['10.0.0.11', '127.0.0.1', '127.0.0.1', '[::1]'];
    expect(asked).toEqual(places.map((place) => `http://${place}:3000/readyz`));
  });

  test('reports an address that this machine does not have', async () => {
    const given = { host: '192.0.2.1', port: 3000, isRunning: false };
    const ask = () => Promise.reject(new Error('nobody'));
    expect(await listening({ ...given, ask })).toMatchObject({
      state: 'wrong',
      says: 'HOST 192.0.2.1 is no address of this machine.',
    });
  });
});

describe('the doctor’s findings about the database', () => {
  test('accepts the test database; reports a superuser, and missing durability', async ({ db }) => {
    const facts = await readDatabaseFacts(db.owner);
    expect(databaseVersion(facts).state).toBe('ok');
    expect(superuser(facts, true).state).toBe('ok');
    expect(clocks(facts, new Date()).state).toBe('ok');
    // The tests' own server flushes nothing.
    expect(durability(facts)).toMatchObject({ state: 'wrong', says: /fsync/ });
    expect(durability({ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' })).toEqual({
      state: 'ok',
      says: expect.any(String),
    });
    expect(superuser({ ...facts, superuser: true }, true).state).toBe('wrong');
    expect(superuser({ ...facts, superuser: true }, false).state).toBe('warning');
    expect(databaseVersion({ version: 140_012 }).state).toBe('wrong');
    expect(clocks({ now: before(1) }, NOW).state).toBe('wrong');
  });

  test('reports a schema of another version', async ({ db }) => {
    const folder = join(import.meta.dirname, '../../../src/server/migrations');
    expect(migrations(await compareMigrations(db.owner, folder)).state).toBe('ok');
    await db.owner`delete from migrations where name = '0001_baseline.sql'`;
    expect(migrations(await compareMigrations(db.owner, folder))).toMatchObject({
      state: 'warning',
      says: expect.stringContaining('0001_baseline.sql'),
    });
    await db.owner`insert into migrations (name, sha256) values ('9999_later.sql', '')`;
    expect(migrations(await compareMigrations(db.owner, folder)).state).toBe('wrong');
  });

  test('reports broken or unchecked books', () => {
    expect(books({ at: before(10), ok: true }, NOW).state).toBe('ok');
    expect(books({ at: before(10), ok: false }, NOW).state).toBe('wrong');
    expect(books({ at: before(27), ok: true }, NOW).state).toBe('wrong');
    expect(books(undefined, NOW).state).toBe('warning');
  });

  test('reports money that waits for an operator, with its sum and the page to settle it on', () => {
    const none = { count: 0, amount: rupiah(0), oldest: null };
    const clear = {
      topups: none,
      bank_lines: none,
      suspense: none,
      withdrawn: none,
      refunds: none,
    };
    expect(money(clear).state).toBe('ok');
    const found = money({
      ...clear,
      bank_lines: { count: 2, amount: rupiah(77_000), oldest: before(1) },
    });
    expect(found.state).toBe('warning');
    expect(found.says).toMatch(/2 bank lines that fit no top-up \(Rp\s77\.000\)/);
    expect(found.remedy).toBe('See Mutasi bank in the operator pages.');
  });

  test('reports a modified audit log', () => {
    const found = { kind: 'changed', account_id: null, seq: 7, day: '2026-11-22' } as const;
    expect(auditLog({ lines: 9, chains: 2, findings: [] }).state).toBe('ok');
    expect(auditLog({ lines: 9, chains: 2, findings: [found] }).state).toBe('wrong');
  });

  test('reports overdue messages and events', () => {
    expect([lanes(0, 5), lanes(20, 5), lanes(90, 5)].map(({ state }) => state)).toEqual([
      'ok',
      'warning',
      'wrong',
    ]);
    expect([outbox(0, 0), outbox(0, 2), outbox(90, 0)].map(({ state }) => state)).toEqual([
      'ok',
      'warning',
      'wrong',
    ]);
  });

  test('reports changes of safeguards that wait for a second admin', () => {
    expect(waitingSettings([]).state).toBe('ok');
    expect(waitingSettings([{ name: 'FOUR_EYES_ABOVE', effective_at: NOW }])).toMatchObject({
      state: 'warning',
      says: expect.stringContaining(`FOUR_EYES_ABOVE from ${NOW.toISOString()} on`),
    });
  });

  test('reports jobs that were abandoned, are late, or never ran', async ({ db }) => {
    const run = { name: 'billing', succeeded_at: NOW, failed_at: null, is_late: false };
    const runs = [run, { ...run, name: 'backup' }];
    expect(jobs([], []).state).toBe('warning');
    expect(jobs([], [...runs, { ...run, name: 'ledger-check', is_late: true }])).toMatchObject({
      state: 'wrong',
      says: 'Jobs are late: ledger-check.',
    });
    expect(jobs(await failedJobs(db.owner), runs).state).toBe('ok');
    await db.owner.query(`
      create schema pgboss;
      create table pgboss.job (name text, state text, completed_on timestamptz);
      insert into pgboss.job values ('backup', 'failed', now()), ('backup', 'failed', now()),
        ('billing', 'failed', now() - interval '1 hour'), ('billing', 'completed', now()),
        ('__pgboss__maintenance', 'failed', now()), ('old', 'failed', now() - interval '2 days')`);
    expect(jobs(await failedJobs(db.owner), runs)).toMatchObject({
      state: 'warning',
      says: 'Jobs failed within a day: backup.',
    });
  });
});

describe('the doctor’s findings about backups', () => {
  const on = { BACKUP: '03:15', production: true };
  const good = {
    at: before(7),
    okAt: before(7),
    isOk: true,
    bytes: 1,
    path: '/b',
    error: undefined,
  };

  test('reports backups that are off, failed, or have not begun', () => {
    expect(lastRun(on, good, NOW).state).toBe('ok');
    expect(lastRun(on, { ...good, isOk: false, error: 'disk_full' }, NOW)).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining('disk_full'),
    });
    expect(lastRun(on, undefined, NOW).state).toBe('warning');
    expect(lastRun({ ...on, BACKUP: 'off' }, good, NOW).state).toBe('wrong');
    expect(lastRun({ BACKUP: 'off', production: false }, good, NOW).state).toBe('warning');
  });

  test('reports a newest backup that is missing or invalid', async () => {
    const folder = await someFolder();
    expect((await newestBackup(folder, undefined, undefined)).state).toBe('ok');
    expect((await newestBackup(folder, undefined, good)).state).toBe('wrong');
    await mkdir(join(folder, 'kabari-20261122T201500Z'));
    expect((await newestBackup(folder, undefined, good)).state).toBe('wrong');
  });

  test('reports backups on the disk of the data', async () => {
    const folder = await someFolder();
    expect((await ownDisk(folder, join(folder, 'backups'))).state).toBe('warning');
    const disks = async (path: string) => (path === folder ? 1 : 2);
    expect((await ownDisk(folder, '/elsewhere', disks)).state).toBe('ok');
  });

  const unproven = {
    BACKUP_EXTERNAL: undefined,
    BACKUP_PROOF_FILE: undefined,
    BACKUP_PROOF_COMMAND: undefined,
    BACKUP_PROOF_HOURS: 26,
  };

  test('reports a database at DATABASE_URL without proof of a backup', async ({ db }) => {
    const none = await readArchiving(db.owner);
    expect(none).toMatchObject({ isOn: false, activeSlots: 0 });
    expect((await foreignBackup(unproven, none, NOW)).state).toBe('wrong');
    const claimed = { ...unproven, BACKUP_EXTERNAL: 'RDS, 7 days' };
    expect(await foreignBackup(claimed, none, NOW)).toMatchObject({
      state: 'warning',
      says: expect.stringContaining('RDS, 7 days'),
    });
    const archived = { ...none, isOn: true, lastArchivedAt: before(0.1) };
    expect((await foreignBackup(unproven, archived, NOW)).state).toBe('ok');
    const idle = { ...archived, lastArchivedAt: before(5) };
    expect((await foreignBackup(unproven, idle, NOW)).state).toBe('warning');
    const failing = { ...archived, lastFailedAt: before(0.01) };
    expect((await foreignBackup(claimed, failing, NOW)).state).toBe('wrong');
    expect((await foreignBackup(unproven, { ...none, activeSlots: 1 }, NOW)).says).toContain(
      'standby',
    );
  });

  test('reads the age of a backup from its file', async ({ db }) => {
    const none = await readArchiving(db.owner);
    const folder = await someFolder();
    const stateOf = async (path: string) =>
      (await foreignBackup({ ...unproven, BACKUP_PROOF_FILE: path }, none, NOW)).state;
    const dump = join(folder, 'kabari.dump');
    expect([await stateOf(dump), await stateOf(folder)]).toEqual(['wrong', 'wrong']);
    await writeFile(dump, '');
    await utimes(dump, before(2), before(2));
    expect([await stateOf(dump), await stateOf(folder)]).toEqual(['wrong', 'wrong']);
    await writeFile(dump, 'PGDMP');
    await utimes(dump, before(2), before(2));
    expect([await stateOf(dump), await stateOf(folder)]).toEqual(['ok', 'ok']);
    await utimes(dump, before(30), before(30));
    expect([await stateOf(dump), await stateOf(folder)]).toEqual(['wrong', 'wrong']);
    const claimed = { ...unproven, BACKUP_EXTERNAL: 'cron', BACKUP_PROOF_FILE: dump };
    expect((await foreignBackup(claimed, none, NOW)).state).toBe('wrong');
  });

  test.skipIf(windows)('reads the age of a backup from a command’s output', async ({ db }) => {
    const none = await readArchiving(db.owner);
    const stateOf = async (command: string) =>
      (await foreignBackup({ ...unproven, BACKUP_PROOF_COMMAND: command }, none, NOW)).state;
    const seconds = Math.floor(before(3).getTime() / 1000);
    for (const [command, state] of [
      [`echo ${before(3).toISOString()}`, 'ok'],
      ['echo 2026-11-23 16:30:00+07', 'ok'],
      [`echo ${seconds}`, 'ok'],
      [`echo ${before(40).toISOString()}`, 'wrong'],
      ['echo 2027-01-01T00:00:00Z', 'wrong'],
      ['echo 7', 'wrong'],
      ['echo yesterday', 'wrong'],
      ['true', 'wrong'],
      [`echo ${seconds}; exit 3`, 'wrong'],
      ['no-such-command', 'wrong'],
    ]) {
      expect([command, await stateOf(command ?? '')]).toEqual([command, state]);
    }
  });
});

describe('a finding', () => {
  test('is printed with its remedy', () => {
    expect(linesOf(warning('It is so.', 'Do this.'))).toBe(
      'warning  It is so.\n         → Do this.',
    );
    expect(ago(before(1), NOW)).toBe('60 minutes ago');
    expect(ago(before(30), NOW)).toBe('30 hours ago');
    expect(ago(before(240), NOW)).toBe('10 days ago');
  });

  test('replaces a check that failed to run', async () => {
    const broken = await finding('the disk', () => Promise.reject(new Error('no such thing')));
    expect(broken).toMatchObject({ state: 'wrong', says: /the disk .* no such thing/ });
  });

  test('reports an unreachable database without a crash', async () => {
    const sql = openDatabase('postgres://kabari@127.0.0.1:9/kabari', {
      max: 1,
      as: 'owner',
      name: 'tests',
    });
    const found = await finding('the version', async () =>
      databaseVersion(await readDatabaseFacts(sql)),
    );
    expect(found.state).toBe('wrong');
    await sql.end();
  });
});
