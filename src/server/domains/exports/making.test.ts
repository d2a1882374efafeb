import { randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { openDiskStore } from '#server/infra/file-store/open.ts';
import {
  LeaseLost,
  type FileJobs,
  claimNext,
  makeFile,
  fileJobStorage,
} from '#server/infra/file-jobs.ts';
import type { RowSource } from '#server/infra/sheets/row-source.ts';
import { type RunningApp, signedIn, test } from '#tests/support/app/running-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { openRowExports } from './exports.ts';

/** A worker beside the application, with two rows; the test releases the second one. */
function workerOf({ container, dataFolder }: RunningApp) {
  const served: string[] = [];
  const troubles: unknown[] = [];
  let isHeld = false;
  let beforeLast = async () => {};
  const source: RowSource<unknown> = {
    fileName: 'uji',
    check: async () => undefined,
    open: async ({ accountId }) => {
      served.push(accountId);
      return {
        columns: [{ title: 'Isi', width: 10 }],
        total: 2,
        batches: async function* () {
          yield { rows: [['pertama']], looked: 1 };
          while (isHeld) {
            await setImmediate();
            yield { rows: [], looked: 0 };
          }
          await beforeLast();
          yield { rows: [['kedua']], looked: 1 };
        },
      };
    },
  };
  const { infra, pools } = container;
  const exports = openRowExports({
    sql: pools.tenantSql,
    allAccountsSql: pools.allAccountsSql,
    reading: infra.replica,
    secrets: infra.secrets,
    place: fileJobStorage(openDiskStore(dataFolder), dataFolder, 'exports/rows/'),
    sources: { messages: source, campaign: source },
    timezoneOf: async () => 'Asia/Jakarta',
    isElsewhere: () => false,
    report: (trouble) => troubles.push(trouble),
  });
  return {
    exports,
    served,
    troubles,
    /** From now on files stay partial. */
    hold: () => void (isHeld = true),
    release: () => void (isHeld = false),
    beforeLastRow: (work: () => Promise<void>) => void (beforeLast = work),
  };
}

const filesOf = ({ dataFolder }: RunningApp) =>
  readdir(join(dataFolder, 'exports', 'rows')).catch((): string[] => []);

const request = async (
  { ask }: RunningApp,
  { token }: { token: string },
): Promise<{ export_id: string }> => {
  const { body } = await ask('message_export', { token, key: randomUUID(), format: 'csv' });
  return { export_id: body.data.id };
};

const stateOf = async (db: TestDatabase) =>
  db.owner`select status, tries, progress, owner from row_exports order by export_id`;

const half = (running: RunningApp) =>
  waitFor(async () => expect(await filesOf(running)).toEqual([expect.stringMatching(/part$/)]));

test('takes one file at a time, also when the planner expects a single row', async ({
  openApp,
  db,
}) => {
  const running = await openApp();
  const ani = await signedIn(db);
  await request(running, ani);
  // Statistics as after making one file, whose lease is renewed each second.
  await db.owner`analyze row_exports`;
  for (let n = 0; n < 3; n++) await request(running, ani);
  const worker = workerOf(running);
  worker.hold();
  const working = worker.exports.work();
  await waitFor(() => worker.served.length > 0);
  const states = (await stateOf(db)).map(({ status, tries }) => [status, tries]);
  expect(states).toEqual([
    ['working', 1],
    ['waiting', 0],
    ['waiting', 0],
    ['waiting', 0],
  ]);
  worker.release();
  await working;
  expect((await stateOf(db)).map(({ status, tries }) => [status, tries])).toEqual(
    Array.from({ length: 4 }, () => ['ready', 1]),
  );
});

test('leaves the file alone when another worker has finished it first', async ({ db, openApp }) => {
  const running = await openApp();
  await request(running, await signedIn(db));
  const place = fileJobStorage(
    openDiskStore(running.dataFolder),
    running.dataFolder,
    'exports/rows/',
  );
  const { allAccountsSql } = db;
  const files: FileJobs = { allAccountsSql, table: 'row_exports', storage: place, renewMs: 1_000 };
  const late = await claimNext(files);
  await db.owner`update row_exports set lease_until = clock_timestamp() - interval '1 second'`;
  await workerOf(running).exports.work();
  const [made] = await filesOf(running);
  const making = {
    extension: 'csv',
    write: async () => undefined,
    percent: () => 0,
    finish: async () => true,
  };
  const again = makeFile(files, late!, making, { report: () => undefined });
  await expect(again).rejects.toBeInstanceOf(LeaseLost);
  expect(await filesOf(running)).toEqual([made]);
  expect(await stateOf(db)).toMatchObject([{ status: 'ready' }]);
});

test('releases its file on shutdown, and another worker makes it whole', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const ani = await signedIn(db);
  await request(running, ani);
  const first = workerOf(running);
  first.hold();
  const making = first.exports.start();
  making.wake();
  await half(running);
  await making.close();
  expect(await stateOf(db)).toEqual([{ status: 'waiting', tries: 0, progress: 0, owner: null }]);
  expect(await filesOf(running)).toEqual([]);
  expect(first.troubles).toEqual([]);

  const second = workerOf(running);
  await second.exports.work();
  expect(await stateOf(db)).toMatchObject([{ status: 'ready', tries: 1, progress: 100 }]);
  const [name = ''] = await filesOf(running);
  const text = await readFile(join(running.dataFolder, 'exports', 'rows', name), 'utf8');
  expect(text).toBe('\uFEFFIsi\r\npertama\r\nkedua\r\n');
});

test('makes the file at once after its worker lost the database twice, the second time while releasing it', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  await request(running, await signedIn(db));
  const worker = workerOf(running);
  let working: Promise<void> | undefined;
  await db.allAccountsSql.begin(async (tx) => {
    worker.beforeLastRow(async () => {
      await tx`select from row_exports for update`;
      throw Object.assign(new Error('cut'), { code: '57P01' });
    });
    working = worker.exports.work();
    // The worker waits for this lock, and its connection is terminated there.
    await waitFor(async () => {
      const cut = await db.owner`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      expect(cut).toHaveLength(1);
    });
  });
  await working;
  expect(await stateOf(db)).toEqual([{ status: 'waiting', tries: 0, progress: 0, owner: null }]);
  expect(worker.troubles).toEqual([]);
});

test('never offers a file that was deleted while it was written, and leaves no bytes', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const ani = await signedIn(db);
  const { export_id } = await request(running, ani);
  const worker = workerOf(running);
  worker.hold();
  const made = worker.exports.work();
  await half(running);
  const { token } = ani;
  const cancelled = await running.ask('export_cancel', { token, key: randomUUID(), export_id });
  expect(cancelled.status).toBe(200);
  // The worker stops at the next renewal of its lease, however long reading takes.
  await made;
  expect(await filesOf(running)).toEqual([]);

  worker.release();
  // Deleted after the last renewal: the finished file is discarded.
  const again = await request(running, ani);
  worker.beforeLastRow(async () => {
    await running.ask('export_cancel', { token, key: randomUUID(), ...again });
  });
  await worker.exports.work();
  expect(await stateOf(db)).toEqual([]);
  expect(await filesOf(running)).toEqual([]);
  expect(worker.troubles).toEqual([]);
  const news =
    await db.owner`select data from outbox where kind = 'export.changed' order by outbox_id`;
  expect(news.at(-1)).toEqual({ data: {} });
});

test('serves the account that was served longest ago first, regardless of how many requests another has', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const [ani, budi, citra] = [await signedIn(db), await signedIn(db), await signedIn(db)];
  for (const one of [ani, ani, ani, budi, budi, citra]) await request(running, one);
  const worker = workerOf(running);
  await worker.exports.work();
  const names = new Map([ani, budi, citra].map(({ accountId }, n) => [accountId, 'abc'[n]]));
  expect(worker.served.map((id) => names.get(id)).join('')).toBe('abcaba');
  // Budi was served before Ani, so he is next although she asked first.
  for (const one of [ani, budi]) await request(running, one);
  await worker.exports.work();
  expect(worker.served.map((id) => names.get(id)).join('')).toBe('abcababa');
});

test('notifies open tabs of the account whose file is ready', async ({ db, openApp }) => {
  const running = await openApp();
  const ani = await signedIn(db);
  await request(running, ani);
  await workerOf(running).exports.work();
  const user_id = publicId('user', ani.userId);
  const news = await db.owner`
    select data from outbox where kind = 'export.changed' order by outbox_id`;
  expect(news).toEqual([
    { data: { status: 'waiting', user_id } },
    { data: { status: 'working', user_id } },
    { data: { status: 'ready', user_id } },
  ]);
});
