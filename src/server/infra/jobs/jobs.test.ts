import { expect, vi } from 'vitest';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { type Job, type Jobs, startJobs } from './jobs.ts';
import { openLog } from '#server/infra/observability/log.ts';

type Start = (jobs: readonly Job[]) => Promise<Jobs>;
const begin = ({ owner, allAccountsSql }: TestDatabase, jobs: readonly Job[]) =>
  startJobs({ owner, allAccountsSql, log: openLog({ level: 'silent' }) }, jobs, {
    pollSeconds: 0.5,
  });

const test = base.extend<{ start: Start }>({
  start: async ({ db }, use) => {
    const started: Jobs[] = [];
    await use(async (jobs) => {
      const one = await begin(db, jobs);
      started.push(one);
      return one;
    });
    await Promise.all(started.map((one) => one.close()));
  },
});
const hourly = (name: string, run: Job['run']): Job => ({ name, cron: '7 * * * *', run });

test('a job runs, as the app and not as the owner of the tables', async ({ db, start }) => {
  const who = vi.fn(async () => (await db.allAccountsSql`select current_user as name`)[0]);
  const jobs = await start([hourly('sweep', who)]);
  await jobs.start('sweep');
  await waitFor(() => expect(who).toHaveResolvedWith({ name: 'kabari_all' }));
});

test('on two nodes a turn is taken once', async ({ start }) => {
  const run = vi.fn(async () => undefined);
  const nodes = [await start([hourly('sweep', run)]), await start([hourly('sweep', run)])];
  await Promise.all(nodes.map((node) => node.start('sweep')));
  await waitFor(() => expect(run).toHaveBeenCalled());
  await Promise.all(nodes.map((node) => node.close()));
  expect(run).toHaveBeenCalledTimes(1);
});

test('nodes that start for the first time at the same moment all have their jobs', async ({
  db,
}) => {
  const nodes = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const owner = openDatabase(db.url, { max: 1, as: 'owner', name: 'tests' });
      const node = await begin({ ...db, owner }, [hourly('sweep', async () => undefined)]);
      await owner.end();
      return node;
    }),
  );
  expect([...(await db.owner`select name from pgboss.schedule`)]).toEqual([{ name: 'sweep' }]);
  await Promise.all(nodes.map((node) => node.close()));
});

test('the turns stand in the database, in WIB', async ({ db, start }) => {
  await start([hourly('sweep', async () => undefined)]);
  const turns = await db.owner`select name, cron, timezone from pgboss.schedule`;
  expect([...turns]).toEqual([{ name: 'sweep', cron: '7 * * * *', timezone: 'Asia/Jakarta' }]);
});

test('a job that fails leaves the others running', async ({ start }) => {
  const well = vi.fn(async () => undefined);
  const jobs = await start([
    hourly('broken', () => Promise.reject(new Error('no'))),
    hourly('well', well),
  ]);
  await jobs.start('broken');
  await jobs.start('well');
  await waitFor(() => expect(well).toHaveBeenCalledTimes(1));
});
