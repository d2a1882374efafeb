import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { systemAccount } from '#server/domains/accounts/accounts.ts';
import { readConfig } from '#server/infra/config.ts';
import { newId } from '#server/infra/ids.ts';
import { type RunningApp, test } from '#tests/support/app/running-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { backupFailed, backupFolderOf, openBackups } from './jobs.ts';
import { makeSession } from '#tests/support/people/people.ts';

const DAY_MS = 86_400_000;

/** Backups that always fail: a file stands at the path of their folder. */
async function brokenBackups(running: RunningApp, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-broken-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'taken'), '');
  const sent: { phone: string; text: string; key: string | undefined }[] = [];
  const logged: string[] = [];
  let ahead = 2 * DAY_MS;
  const backups = openBackups({
    config: readConfig({ BACKUP_FOLDER: join(folder, 'taken'), BACKUP: '03:15', ...env }),
    allAccountsSql: running.container.pools.allAccountsSql,
    url: running.container.infra.url,
    dataFolder: running.dataFolder,
    build: 'test',
    log: { error: (_, words) => void logged.push(words), info: () => undefined },
    sendSystemText: async (phone, text, _, key) => void sent.push({ phone, text, key }),
    report: (trouble) => {
      throw trouble;
    },
    now: () => new Date(Date.now() + ahead),
  });
  return { backups, sent, logged, goOn: (ms: number) => (ahead += ms) };
}

async function browserOfOperator({ allAccountsSql: sql }: TestDatabase): Promise<void> {
  const accountId = await systemAccount(sql);
  const [user] = await sql<{ user_id: string }[]>`
    select user_id from users where account_id = ${accountId ?? ''}`;
  const operator = { accountId: accountId ?? '', userId: user?.user_id ?? '' };
  const { sessionId } = await makeSession(sql, operator);
  await sql`
    insert into push_subscriptions (
      subscription_id, token_hash, endpoint_hash, service, sealed, account_id, user_id, session_id
    ) values (${newId()}, '\\x03', '\\x04', 'fcm.googleapis.com', '\\x05',
      ${operator.accountId}, ${operator.userId}, ${sessionId})`;
}

test('puts backups in their own folder, and refuses one that each backup would include', () => {
  const place = (BACKUP_FOLDER?: string) => backupFolderOf({ BACKUP_FOLDER }, '/var/lib/kabari');
  for (const folder of ['/var/lib/kabari/backups/usb', '/var/lib/kabari-backups', '/var/lib']) {
    expect(place(folder)).toBe(folder);
  }
  expect(place()).toBe('/var/lib/kabari/backups');
  for (const folder of ['/var/lib/kabari', '/var/lib/kabari/', '/var/lib/../lib/kabari/files']) {
    expect(() => place(folder), folder).toThrow(/BACKUP_FOLDER/);
  }
});

describe('a backup that fails', () => {
  test('is stored, logged, counted, and announced to operators once a day', async ({
    db,
    openApp,
  }) => {
    const running = await openApp();
    await browserOfOperator(db);
    const { backups, sent, logged, goOn } = await brokenBackups(running);
    await backups.runDue();
    expect(logged).toEqual(['a backup failed']);
    const runs = () => db.allAccountsSql`select is_ok, problem from backups`;
    expect(await runs()).toEqual([{ is_ok: false, problem: 'failed' }]);
    expect(await backupFailed(db.allAccountsSql)).toEqual([{ value: 1 }]);
    const notices = await db.allAccountsSql`select title, tag from push_queue`;
    expect(notices).toEqual([{ title: 'Cadangan gagal', tag: 'backup' }]);
    expect(sent).toEqual([
      expect.objectContaining({
        phone: running.container.infra.config.OPERATOR_PHONE,
        text: expect.stringMatching(/^Cadangan tidak jadi dibuat: /),
      }),
    ]);
    await backups.runDue();
    expect(await runs()).toHaveLength(1);
    goOn(3_700_000);
    await backups.runDue();
    expect(await runs()).toHaveLength(2);
    expect(new Set(sent.map(({ key }) => key?.slice(0, 7)))).toEqual(new Set(['backup-']));
  });

  test('alerts operators also when no backup has started for 26 hours', async ({ openApp }) => {
    const { backups, sent, logged } = await brokenBackups(await openApp());
    await backups.watch();
    expect(logged).toEqual(['there is no backup of the last 26 hours']);
    expect(sent[0]?.text).toContain('26 jam');
  });

  test('raises no alert where backups are off', async ({ db, openApp }) => {
    const { backups, logged } = await brokenBackups(await openApp(), { BACKUP: 'off' });
    await backups.runDue();
    await backups.watch();
    expect(logged).toEqual([]);
    expect(await db.allAccountsSql`select from backups`).toEqual([]);
  });
});
