import { randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { messageRows } from '#server/domains/messages/messages.ts';
import { checkAndSeal } from '#server/domains/operator/operator.ts';
import { newId } from '#server/infra/ids.ts';
import { openMetrics } from '#server/infra/observability/metrics.ts';
import { type Sql, type Tx, asAccount, openDatabase } from '#server/infra/postgres/database.ts';
import { type Replica, openReplica, currentLsn } from '#server/infra/postgres/replica.ts';
import { type RunningApp, signedIn, test as base } from '#tests/support/app/running-app.ts';
import { type TestDatabase, makeDatabase } from '#tests/support/database/database.ts';
import {
  type StreamingServer,
  startPrimary,
  startStandby,
} from '#tests/support/database/streaming.ts';
import { storeMessages } from '#tests/support/people/stored-messages.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { makeAccount } from '#tests/support/people/people.ts';

let primary: StreamingServer;
let standby: StreamingServer;
beforeAll(async () => {
  primary = await startPrimary({ durable: true });
  standby = await startStandby(primary, { durable: true });
});
afterAll(async () => {
  await standby.remove();
  await primary.remove();
});

type Opened = Replica & { lines: string[]; fallbacks: () => Promise<string[]> };
type Options = { url?: string; patienceMs?: number; isAwaited?: boolean };

const test = base.extend<{
  db: TestDatabase;
  open: (options?: Options) => Promise<Opened>;
}>({
  // The database of these tests is the primary's.
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  db: async ({}, use) => {
    const { url } = primary;
    const open = (as: 'all accounts' | 'tenant' | 'owner') =>
      openDatabase(url, { max: as === 'owner' ? 1 : 4, as, name: 'tests' });
    const db: TestDatabase = {
      allAccountsSql: open('all accounts'),
      tenantSql: open('tenant'),
      owner: open('owner'),
      url,
      wholeUrl: url,
      impatientUrl: url,
    };
    await use(db);
    await Promise.all([db.allAccountsSql, db.tenantSql, db.owner].map((sql) => sql.end()));
  },
  open: async ({ db }, use) => {
    const opened: Replica[] = [];
    await use(async ({ url = standby.url, patienceMs = 60_000, isAwaited = true } = {}) => {
      const lines: string[] = [];
      const write = (fields: { reason?: string }, words?: string) =>
        void lines.push([words, fields.reason].filter(Boolean).join(': '));
      const metrics = openMetrics();
      const replica = await openReplica({
        url,
        primary: db,
        log: {
          info: (words: string) => void lines.push(words),
          warn: write,
          error: write,
        } as never,
        fallbacks: metrics.counter('fallbacks', ''),
        lookMs: 50,
        catchUpMs: patienceMs,
      });
      opened.push(replica);
      // A new standby may still lag.
      if (isAwaited) await isUsed(replica).then(() => lines.splice(0));
      const fallbacks = async () => (await metrics.text()).split('\n').slice(2, -1);
      return { ...replica, lines, fallbacks };
    });
    await Promise.all(opened.map((one) => one.close()));
  },
});

const isStandby = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ yes: boolean }[]>`select pg_is_in_recovery() as yes`;
  return row?.yes ?? false;
};
const namesOf = async (sql: Sql, accountId: string) =>
  (await asAccount(sql, accountId, (tx) => tx<{ name: string }[]>`select name from accounts`)).map(
    ({ name }) => name,
  );
const isUsed = (replica: Replica) =>
  waitFor(() => expect(replica.status()).toMatchObject({ state: 'used' }));

const newAccount = ({ allAccountsSql }: TestDatabase, name: string): Promise<string> =>
  makeAccount(allAccountsSql, { name });

describe('a standby that follows', () => {
  test('is read, and shows an account what the primary shows', async ({ db, open }) => {
    const replica = await open();
    const [ani, budi] = [await newAccount(db, 'Ani'), await newAccount(db, 'Budi')];
    await replica.catchUp();
    expect(await isStandby(replica.tenantSql)).toBe(true);
    expect(await namesOf(replica.tenantSql, ani)).toEqual(['Ani']);
    expect(await namesOf(replica.tenantSql, budi)).toEqual(['Budi']);
    expect([...(await replica.tenantSql`select name from accounts`)]).toEqual([]);
    expect(await replica.tenantSql`select current_user as who`).toEqual([{ who: 'kabari_app' }]);
    const seen =
      await replica.allAccountsSql`select from accounts where account_id in (${ani}, ${budi})`;
    expect(seen).toHaveLength(2);
    expect(await replica.fallbacks()).toEqual([]);
  });

  test('is waited for until it has earlier commits', async ({ db, open }) => {
    const replica = await open();
    await standby.run('select pg_wal_replay_pause()');
    const ani = await newAccount(db, 'Ani');
    let isThere = false;
    const caughtUp = replica.catchUp().then(() => (isThere = true));
    const sent = await currentLsn(db.owner);
    await waitFor(async () => {
      const [row] = await replica.tenantSql<{ has: boolean }[]>`
        select pg_last_wal_receive_lsn() >= ${sent}::pg_lsn as has`;
      return row?.has === true;
    });
    expect(isThere).toBe(false);
    await standby.run('select pg_wal_replay_resume()');
    await caughtUp;
    expect(await namesOf(replica.tenantSql, ani)).toEqual(['Ani']);
    expect(await isStandby(replica.tenantSql)).toBe(true);
    expect(await replica.fallbacks()).toEqual([]);
  });

  test('is not read while it lags', async ({ db, open }) => {
    const replica = await open({ patienceMs: 0 });
    await standby.run('select pg_wal_replay_pause()');
    const ani = await newAccount(db, 'Ani');
    await replica.catchUp();
    expect(replica.status()?.state).toBe('behind');
    expect(await namesOf(replica.tenantSql, ani)).toEqual(['Ani']);
    expect(await isStandby(replica.tenantSql)).toBe(false);
    await waitFor(() => expect(replica.status()?.lagSeconds).toBeGreaterThan(0));
    await standby.run('select pg_wal_replay_resume()');
    await isUsed(replica);
    expect(await isStandby(replica.tenantSql)).toBe(true);
    expect(replica.lines).toEqual([
      'the replica is not read, and the database itself is instead: behind',
      'the replica is read',
    ]);
    expect(await replica.fallbacks()).toEqual(['fallbacks{why="behind"} 1']);
  });

  test('takes no writes, and neither does the primary in its place', async ({ db, open }) => {
    const replica = await open();
    const write = (tx: Tx) => makeAccount(tx);
    const readOnly = expect.objectContaining({ code: '25006' });
    await expect(replica.allAccountsSql.begin(write)).rejects.toEqual(readOnly);
    await standby.run('select pg_wal_replay_pause()');
    await newAccount(db, 'Ani');
    const behind = await open({ patienceMs: 0, isAwaited: false });
    await behind.catchUp();
    await expect(behind.allAccountsSql.begin(write)).rejects.toEqual(readOnly);
    await standby.run('select pg_wal_replay_resume()');
  });

  test('makes a reader use the primary when replay cancels it', async ({ db, open }) => {
    await standby.run(
      `alter system set max_standby_streaming_delay = 0`,
      'select pg_reload_conf()',
    );
    const replica = await open();
    const ani = await newAccount(db, 'Ani');
    await replica.catchUp();
    const places: boolean[] = [];
    const names = await replica.allAccountsSql.begin(async (tx) => {
      const [place] = await tx<{ standby: boolean }[]>`select pg_is_in_recovery() as standby`;
      places.push(place?.standby === true);
      const read = () =>
        tx<{ name: string }[]>`select name from accounts where account_id = ${ani}`;
      await read();
      if (places.join() === 'true') {
        await db.owner.query('begin; lock table accounts in access exclusive mode; commit');
        // The replay on the standby now needs the lock that this reader holds.
        await waitFor(() =>
          read().then(
            () => false,
            () => true,
          ),
        );
      }
      return (await read()).map(({ name }) => name);
    }, 'isolation level repeatable read');
    expect(names).toEqual(['Ani']);
    expect(places).toEqual([true, false]);
    expect(replica.status()?.state).toBe('used');
    expect(replica.lines.at(-1)).toBe('the replica failed a reader, who read the database itself');
    expect(await replica.fallbacks()).toEqual(['fallbacks{why="interrupted"} 1']);
    await standby.run('alter system reset max_standby_streaming_delay', 'select pg_reload_conf()');
  });

  test('can go away without harm, and is read again when it is back', async ({ db, open }) => {
    const replica = await open();
    const ani = await newAccount(db, 'Ani');
    standby.kill();
    expect(await namesOf(replica.tenantSql, ani)).toEqual(['Ani']);
    await waitFor(() => expect(replica.status()?.state).toBe('away'));
    await replica.catchUp();
    expect(await namesOf(replica.tenantSql, ani)).toEqual(['Ani']);
    const late = await open({ isAwaited: false });
    expect(late.status()?.state).toBe('away');
    await standby.start();
    for (const one of [replica, late]) {
      await isUsed(one);
      await one.catchUp();
      expect(await isStandby(one.tenantSql)).toBe(true);
    }
  });

  test('leaves a file whole when it goes away in the middle', async ({ db, open }) => {
    const replica = await open();
    const { accountId, tokenId } = await signedIn(db);
    const at = Date.now();
    const texts = Array.from({ length: 1_200 }, (_, n) => `Pesanan nomor ${n}`);
    await storeMessages(
      db.owner,
      accountId,
      texts.map((text, n) => ({ at: new Date(at - n), tokenId, status: 'read', body: { text } })),
    );
    await replica.catchUp();
    const { tenantSql: sql } = replica;
    const request = { sql, accountId, params: {}, requestId: newId(), zoneName: 'WIB' };
    const { batches, columns } = await messageRows.open(request);
    const place = columns.findIndex(({ title }) => title === 'Isi');
    const found: unknown[] = [];
    for await (const { rows } of batches()) {
      found.push(...rows.map((row) => row[place]));
      if (found.length === 50) standby.kill();
    }
    expect(found).toEqual(texts);
    await standby.start();
  });
});

describe('a setting that names', () => {
  test('the database itself is reported, and reads it', async ({ open }) => {
    const replica = await open({ url: primary.url, isAwaited: false });
    expect(replica.status()?.state).toBe('the database itself');
    expect(replica.lines[0]).toContain('the database itself is instead: the database itself');
    expect(await isStandby(replica.tenantSql)).toBe(false);
  });

  test('another database is refused', async ({ open }) => {
    // Not the template itself: a connection to it blocks the creation of test databases.
    const { db: other, drop } = await makeDatabase();
    onTestFinished(drop);
    await expect(open({ url: other.url })).rejects.toThrow(
      'DATABASE_REPLICA_URL names the server of another database',
    );
  });
});

describe('the application with a replica', () => {
  const textsIn = async ({ dataFolder }: RunningApp, ...folder: string[]) => {
    const path = join(dataFolder, ...folder);
    const names = (await readdir(path)).filter((name) => /\.(csv|zip)$/.test(name));
    return Promise.all(names.map((name) => readFile(join(path, name), 'latin1')));
  };
  /** Tables of a list that were read on the standby, by its own statistics. */
  const readThere = async (...tables: string[]) => {
    const sql = openDatabase(standby.url, { max: 1, as: 'owner', name: 'tests' });
    const found = await sql<{ name: string }[]>`
      select relname as name from pg_stat_user_tables
      where relname = any (${tables}) and coalesce(idx_scan, 0) + seq_scan > 0 order by 1`;
    await sql.end();
    return found.map(({ name }) => name);
  };
  const env = () => ({ DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standby.url });

  test('builds files, archives and nightly checks from the standby’s data', async ({
    db,
    openApp,
  }) => {
    const running = await openApp({ env: env() });
    const { infra, rowExports, accounts } = running.container;
    await isUsed(infra.replica);
    const { accountId, userId, tokenId, token } = await signedIn(db);
    await storeMessages(db.owner, accountId, [
      { at: new Date(), tokenId, status: 'read', body: { text: 'Pesanan sudah dikirim' } },
    ]);
    // The standby lacks the primary's writes after the request.
    await standby.run('select pg_wal_replay_pause()');
    await running.ask('message_export', { token, key: randomUUID(), format: 'csv' });
    const making = rowExports.work();
    await waitFor(async () => {
      const [row] = await db.owner`select from row_exports where status = 'working'`;
      return row !== undefined;
    });
    await standby.run('select pg_wal_replay_resume()');
    await making;
    const [file] = await textsIn(running, 'exports', 'rows');
    expect(file).toContain('Pesanan sudah dikirim');

    await db.owner`
      insert into exports (account_id, export_id, user_id) values (${accountId}, ${newId()}, ${userId})`;
    await accounts.exports.work();
    expect(await db.owner`select status from exports`).toEqual([{ status: 'ready' }]);
    expect(await textsIn(running, 'exports')).toHaveLength(1);

    const { allAccountsSql } = db;
    const { dataFolder: folder, log, replica: reading } = infra;
    await checkAndSeal({ allAccountsSql, now: () => new Date(), log, folder, reading });
    expect(await db.owner`select is_ok from ledger_checks`).toEqual([{ is_ok: true }]);
    expect(await db.owner`select is_ok from audit_checks`).toEqual([{ is_ok: true }]);

    const tables = ['audit_log', 'gl_lines', 'message_events', 'sessions'];
    await waitFor(async () => expect(await readThere(...tables)).toEqual(tables));

    await waitFor(async () => {
      const ready = await running.app.inject('/readyz');
      expect(ready.json()).toMatchObject({ status: 'ready', replica: { state: 'used' } });
    });
    const { body } = await running.app.inject('/metrics');
    expect(body).toContain('kabari_replica_used 1\n');
    expect(body).toMatch(/kabari_replica_lag_seconds \d/);
    expect(body).not.toContain('kabari_replica_fallbacks_total{');

    standby.kill();
    await waitFor(async () => {
      const still = await running.app.inject('/readyz');
      expect(still.json()).toMatchObject({ status: 'ready', replica: { state: 'away' } });
    });
    await standby.start();
  });

  test('logs that its replica was promoted, and reads the database itself', async ({
    db,
    open,
  }) => {
    const replica = await open();
    await standby.run('select pg_promote()');
    await waitFor(() => expect(replica.status()?.state).toBe('no standby'));
    await replica.catchUp();
    expect(await isStandby(replica.tenantSql)).toBe(false);
    const ani = await newAccount(db, 'Ani');
    expect(await namesOf(replica.tenantSql, ani)).toEqual(['Ani']);
  });
});
