import { describe, expect, vi } from 'vitest';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { readJobRuns, type Job, type Jobs, superviseJobs, startJobs } from '#server/infra/jobs.ts';
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

test('runs a job as the app and not as the owner of the tables', async ({ db, start }) => {
  const who = vi.fn(async () => (await db.allAccountsSql`select current_user as name`)[0]);
  const jobs = await start([hourly('sweep', who)]);
  await jobs.start('sweep');
  await waitFor(() => expect(who).toHaveResolvedWith({ name: 'kabari_all' }));
});

test('runs a turn once on two nodes', async ({ start }) => {
  const run = vi.fn(async () => undefined);
  const nodes = [await start([hourly('sweep', run)]), await start([hourly('sweep', run)])];
  await Promise.all(nodes.map((node) => node.start('sweep')));
  await waitFor(() => expect(run).toHaveBeenCalled());
  await Promise.all(nodes.map((node) => node.close()));
  expect(run).toHaveBeenCalledTimes(1);
});

test('nodes that first start at the same moment all get their jobs', async ({ db }) => {
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

test('stores the schedule in the database, in WIB', async ({ db, start }) => {
  await start([hourly('sweep', async () => undefined)]);
  const turns = await db.owner`select name, cron, timezone from pgboss.schedule`;
  expect([...turns]).toEqual([{ name: 'sweep', cron: '7 * * * *', timezone: 'Asia/Jakarta' }]);
});

test('a failing job does not stop the others', async ({ start }) => {
  const well = vi.fn(async () => undefined);
  const jobs = await start([
    hourly('broken', () => Promise.reject(new Error('no'))),
    hourly('well', well),
  ]);
  await jobs.start('broken');
  await jobs.start('well');
  await waitFor(() => expect(well).toHaveBeenCalledTimes(1));
});

describe('supervised jobs', () => {
  const quick = { pollSeconds: 0.5, againMs: { first: 20, longest: 100 }, lookMs: 20 };
  const keep = (
    db: TestDatabase,
    jobs: readonly Job[],
    timings: Parameters<typeof superviseJobs>[2] = {},
    to: string[] = [],
  ) =>
    superviseJobs(
      {
        openOwner: () => openDatabase(db.url, { max: 1, as: 'owner', name: 'jobs' }),
        allAccountsSql: db.allAccountsSql,
        log: openLog({ level: 'error' }, { write: (line) => void to.push(line) }),
      },
      jobs,
      { ...quick, ...timings },
    );

  test('start again after a cancelled start, and fail the check until then', async ({ db }) => {
    const lock = openDatabase(db.url, { max: 1, as: 'owner', name: 'tests' });
    const run = vi.fn(async () => undefined);
    const lines: string[] = [];
    const held = Promise.withResolvers<void>();
    const holding = lock.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(7206218)`;
      await held.promise;
    });
    const jobs = keep(db, [hourly('sweep', run)], {}, lines);
    await waitFor(async () => {
      const cancelled = await db.owner`
        select pg_cancel_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like '%jobs%'
          and wait_event = 'advisory'`;
      expect(cancelled).toHaveLength(1);
    });
    await waitFor(() => expect(() => jobs.check()).toThrow());
    expect(lines.join('')).toContain('"code":"57014"');
    held.resolve();
    await holding;
    await waitFor(() => expect(() => jobs.check()).not.toThrow());
    await jobs.start('sweep');
    await waitFor(() => expect(run).toHaveBeenCalled());
    await jobs.close();
    await lock.end();
  });

  test('start again when their queues are no longer polled', async ({ db }) => {
    const lines: string[] = [];
    const run = vi.fn(async () => undefined);
    const jobs = keep(db, [hourly('sweep', run)], { silentMsMax: 1_500 }, lines);
    await jobs.start('sweep');
    await waitFor(() => expect(run).toHaveBeenCalledTimes(1));
    const turn = () => db.owner`select state from pgboss.job where name = 'sweep'`;
    await waitFor(async () => expect(await turn()).toMatchObject([{ state: 'completed' }]));
    await loseRights(db);
    await waitFor(() => expect(lines.join('')).toContain('the jobs stand still'));
    await jobs.start('sweep');
    await waitFor(() => expect(run).toHaveBeenCalledTimes(2));
    await jobs.close();
  });

  test('start again when the end of a turn can no longer be stored', async ({ db }) => {
    const lines: string[] = [];
    const jobs = keep(db, [hourly('sweep', () => loseRights(db))], { silentMsMax: 1_500 }, lines);
    await jobs.start('sweep');
    await waitFor(() => expect(lines.join('')).toContain('the jobs stand still'));
    await waitFor(() => expect(() => jobs.check()).not.toThrow());
    await jobs.close();
  });

  const loseRights = async ({ owner }: TestDatabase): Promise<void> => {
    await owner`revoke all on all tables in schema pgboss from kabari_app`;
  };

  test('record when each last succeeded and failed, and which are late', async ({ db, sql }) => {
    const jobs = keep(db, [
      hourly('well', async () => undefined),
      hourly('broken', () => Promise.reject(new Error('no'))),
      hourly('never', async () => undefined),
    ]);
    await jobs.start('well');
    await jobs.start('broken');
    await waitFor(async () => {
      const runs = await readJobRuns(sql);
      const ended = runs.map(({ name, succeeded_at, failed_at, is_late }) => [
        name,
        succeeded_at !== null,
        failed_at !== null,
        is_late,
      ]);
      expect(ended).toEqual([
        ['broken', false, true, false],
        ['never', false, false, false],
        ['well', true, false, false],
      ]);
    });
    await sql`
      update job_runs set registered_at = registered_at - interval '3 hours'
      where name in ('never', 'well')`;
    const late = (await readJobRuns(sql)).filter(({ is_late }) => is_late);
    expect(late.map(({ name }) => name)).toEqual(['never']);
    await jobs.close();
  });
});

test('runs a turn that was due while no node ran', async ({ db, start }) => {
  await start([hourly('sweep', async () => undefined)]);
  const [turn] = await db.owner`select options->>'missed' as missed from pgboss.schedule`;
  expect(turn).toEqual({ missed: 'once' });
});
