import { setTimeout as pause } from 'node:timers/promises';
import type { ConstructorOptions, Db, PgBoss } from 'pg-boss';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Sample } from '#server/infra/observability/metrics.ts';

export type Job = {
  /** Lower case and dashes; names its queue. */
  name: string;
  /** In WIB. */
  cron: string;
  /** For long work: a node silent for this long is considered dead, and another takes the turn. */
  heartbeatSeconds?: number;
  /** The time limit of a turn; 15 minutes by default. */
  secondsMax?: number;
  run: () => Promise<unknown>;
};

export type Jobs = {
  start(name: string): Promise<void>;
  /** @throws Error if the jobs did not start, or a queue is no longer polled. */
  check(): void;
  close(): Promise<void>;
};

type JobsDeps = { allAccountsSql: Sql; log: Log };

const SCHEMA = 'pgboss';
const INSTALL_LOCK = 7_206_218;
const WIB = 'Asia/Jakarta';
const POLL_SECONDS = 20;
const FINISH_MS = 20_000;
const JOB_SECONDS_MAX = 900;
const RESTART_PAUSE_MS = { first: 2_000, longest: 60_000 };
/** If a queue was not polled successfully for this long, the jobs are restarted. */
const SILENT_MS_MAX = 120_000;
const LOOK_MS = 10_000;

type Timings = {
  pollSeconds?: number;
  restartPauseMs?: typeof RESTART_PAUSE_MS;
  silentMsMax?: number;
  lookMs?: number;
};

/**
 * After a failed start, or if queues are no longer polled, starts again after a pause that doubles up to a minute.
 *
 * @param openOwner opens a pool of the database's owner for pg-boss's tables; it is closed after each start.
 */
export function superviseJobs(
  { openOwner, ...deps }: JobsDeps & { openOwner: () => Sql },
  jobs: readonly Job[],
  timings: Timings = {},
): Jobs {
  const { restartPauseMs = RESTART_PAUSE_MS, lookMs = LOOK_MS } = timings;
  const { log } = deps;
  const closing = new AbortController();
  const rest = (ms: number) =>
    pause(ms, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
  let running: Jobs | undefined;
  let started = Promise.withResolvers<Jobs | undefined>();
  let trouble: Error | undefined;

  const startOnce = async () => {
    const owner = openOwner();
    try {
      running = await startJobs({ ...deps, owner }, jobs, timings);
    } finally {
      await owner.end({ timeout: 5 });
    }
    trouble = undefined;
    started.resolve(running);
  };
  const watch = async (one: Jobs) => {
    for (;;) {
      await rest(lookMs);
      if (closing.signal.aborted) return;
      one.check();
    }
  };
  const keep = async () => {
    for (
      let ms = restartPauseMs.first;
      !closing.signal.aborted;
      ms = Math.min(ms * 2, restartPauseMs.longest)
    ) {
      try {
        await startOnce();
        ms = restartPauseMs.first;
        if (running) await watch(running);
      } catch (error) {
        trouble = error instanceof Error ? error : new Error(String(error));
        const stopped = running;
        running = undefined;
        if (!stopped) log.error({ err: error }, 'the jobs did not start');
        else {
          log.error({ err: error }, 'the jobs stand still');
          started = Promise.withResolvers();
          await stopped.close().catch(() => undefined);
        }
        await rest(ms);
      }
    }
  };
  const worker = keep();
  return {
    start: async (name) => (await started.promise)?.start(name),
    check: () => {
      if (trouble !== undefined) throw trouble;
      running?.check();
    },
    close: async () => {
      closing.abort();
      await worker;
      await running?.close();
      started.resolve(undefined);
    },
  };
}

/**
 * Each turn runs once, on any node; failed turns are retried, those of dead nodes taken over, missed ones made up
 * once.
 *
 * @param owner a pool of the database's owner for pg-boss's tables; not used after this returns.
 */
export async function startJobs(
  { owner, allAccountsSql, log }: JobsDeps & { owner: Sql },
  jobs: readonly Job[],
  { pollSeconds = POLL_SECONDS, silentMsMax = SILENT_MS_MAX }: Timings = {},
): Promise<Jobs> {
  await registerJobs(allAccountsSql, jobs.map(registered));
  // Lazy, because loading pg-boss takes longer than loading the rest of the application.
  const { PgBoss } = await import('pg-boss');
  await install(PgBoss, owner);
  const boss = new PgBoss({
    ...options(allAccountsSql),
    migrate: false,
    createSchema: false,
    supervise: true,
    schedule: true,
    // Both maintain indexes and vacuum as the tables' owner, which the app is not.
    reindex: false,
    monitorVacuum: false,
  });
  // pg-boss copies the caught error into a plain object with the name of the queue.
  boss.on('error', (error) =>
    log.warn(
      { err: error instanceof Error ? error : Object.assign(new Error(), error) },
      'the jobs have trouble',
    ),
  );
  try {
    await boss.start();
    for (const job of jobs) await begin(boss, job, { allAccountsSql, log, pollSeconds });
  } catch (error) {
    await boss.stop({ graceful: false, close: false }).catch(() => undefined);
    throw error;
  }
  return {
    start: async (name) => void (await boss.send(name)),
    check: () => refuseSilence(boss, jobs, silentMsMax),
    close: () => boss.stop({ graceful: true, timeout: FINISH_MS, close: false }),
  };
}

const registered = ({ name, cron, secondsMax = JOB_SECONDS_MAX }: Job) => ({
  name,
  lateSeconds: lateAfterSeconds(cron, secondsMax),
});

/** @throws Error if a queue has no worker, or one that neither polls nor works. */
function refuseSilence(boss: PgBoss, jobs: readonly Job[], silentMsMax: number): void {
  const workers = new Map(boss.getWipData().map((worker) => [worker.name, worker]));
  const silent = jobs.filter(({ name }) => {
    const worker = workers.get(name);
    if (!worker) return true;
    const lastMs = worker.lastFetchedOn ?? worker.createdOn;
    // pg-boss keeps counting a job whose end could not be stored.
    const isWorking =
      worker.count > 0 && (worker.lastErrorOn ?? 0) < (worker.lastJobStartedOn ?? 0);
    return !isWorking && Date.now() - lastMs > silentMsMax;
  });
  const [first] = silent;
  if (first) throw new Error(`${silent.length} queues of jobs are not polled: ${first.name}`);
}

async function install(Boss: typeof PgBoss, owner: Sql): Promise<void> {
  const boss = new Boss({ ...options(owner), supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.stop({ graceful: false, close: false });
  // One node at a time: PostgreSQL rejects concurrent grants on the same object (XX000).
  await owner.query(`
    select pg_advisory_xact_lock(${INSTALL_LOCK});
    grant usage on schema ${SCHEMA} to kabari_app;
    grant select, insert, update, delete on all tables in schema ${SCHEMA} to kabari_app;
    grant usage on all sequences in schema ${SCHEMA} to kabari_app;
    grant execute on all functions in schema ${SCHEMA} to kabari_app`);
}

const options = (sql: Sql): ConstructorOptions => ({ db: overOurs(sql), schema: SCHEMA });

async function begin(
  boss: PgBoss,
  { name, cron, heartbeatSeconds, secondsMax = JOB_SECONDS_MAX, run }: Job,
  { allAccountsSql, log, pollSeconds }: JobsDeps & { pollSeconds: number },
): Promise<void> {
  // `exclusive`: no second turn is queued while one waits or runs.
  await boss.createQueue(name, {
    policy: 'exclusive',
    retryLimit: 3,
    retryDelay: 30,
    expireInSeconds: secondsMax,
    retentionSeconds: 86_400,
    deleteAfterSeconds: 86_400,
    ...(heartbeatSeconds !== undefined && { heartbeatSeconds }),
  });
  await boss.schedule(name, cron, null, { tz: WIB, missed: 'once' });
  await boss.work(name, { pollingIntervalSeconds: pollSeconds }, async () => {
    const record = (write: typeof recordSuccess) =>
      write(allAccountsSql, name).catch((error: unknown) =>
        log.warn({ err: error, job: name }, 'the turn of a job cannot be recorded'),
      );
    try {
      await run();
    } catch (error) {
      log.error({ err: error, job: name }, 'a job failed');
      await record(recordFailure);
      throw error;
    }
    await record(recordSuccess);
  });
}

/**
 * pg-boss's statements on our pool, under its rules. A failed script (`begin; …; commit`) leaves its transaction
 * open; the pool then discards the connection.
 */
const overOurs = (sql: Sql): Db => ({
  executeSql: async (text, values) => ({ rows: await sql.query(text, values?.map(asGiven)) }),
});

/** pg-boss passes undefined for null, and objects for JSON columns. */
function asGiven(value: unknown): unknown {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isPlain && !(value instanceof Date) ? json(value) : (value ?? null);
}

export type JobRuns = {
  name: string;
  succeeded_at: Date | null;
  failed_at: Date | null;
  /** See `lateAfterSeconds`. */
  is_late: boolean;
};

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** A job is late if more than a turn was missed and none can be running. */
function lateAfterSeconds(cron: string, secondsMax: number): number {
  const turn = turnSeconds(cron);
  return turn + Math.min(turn, HOUR_S) + secondsMax;
}

/** For the schedules in use: every minute, every n minutes, hourly, daily. */
function turnSeconds(cron: string): number {
  const [minute = '', hour, ...days] = cron.split(' ');
  const every = /^\*(?:\/(\d+))?$/.exec(minute);
  if (days.join(' ') !== '* * *') throw new Error(`no job runs by days: ${cron}`);
  if (every && hour === '*') return Number(every[1] ?? 1) * MINUTE_S;
  return hour === '*' ? HOUR_S : DAY_S;
}

/** Runs before the first turn, so that a job that never runs is reported as late. */
async function registerJobs(
  allAccountsSql: Sql,
  jobs: readonly { name: string; lateSeconds: number }[],
): Promise<void> {
  await allAccountsSql`
    insert into job_runs (name, late_seconds)
    select * from unnest(
      ${jobs.map(({ name }) => name)}::text[],
      ${jobs.map(({ lateSeconds }) => lateSeconds)}::int[]
    )
    on conflict (name) do update set late_seconds = excluded.late_seconds
      where job_runs.late_seconds <> excluded.late_seconds`;
}

async function recordSuccess(allAccountsSql: Sql, name: string): Promise<void> {
  await allAccountsSql`
    update job_runs set succeeded_at = clock_timestamp() where name = ${name}`;
}

async function recordFailure(allAccountsSql: Sql, name: string): Promise<void> {
  await allAccountsSql`update job_runs set failed_at = clock_timestamp() where name = ${name}`;
}

export async function readJobRuns(allAccountsSql: Sql): Promise<JobRuns[]> {
  const found = await allAccountsSql<JobRuns[]>`
    select name, succeeded_at, failed_at,
      clock_timestamp() - coalesce(succeeded_at, registered_at)
        > late_seconds * interval '1 second' as is_late
    from job_runs order by name`;
  return [...found];
}

export async function jobSamples(
  allAccountsSql: Sql,
  valueOf: (job: JobRuns) => number | undefined,
): Promise<Sample[]> {
  const jobs = await readJobRuns(allAccountsSql);
  return jobs.flatMap((job) => {
    const value = valueOf(job);
    return value === undefined ? [] : [{ labels: { name: job.name }, value }];
  });
}

/** A job whose turn failed after all retries; `is_over`: a later turn succeeded. */
export type FailedJob = { name: string; failed_at: Date; is_over: boolean };

export async function failedJobs(allAccountsSql: Sql): Promise<FailedJob[]> {
  const [made] = await allAccountsSql<{ yes: boolean }[]>`
    select to_regclass('pgboss.job') is not null as yes`;
  if (!made?.yes) return [];
  const found = await allAccountsSql<FailedJob[]>`
    select f.name, f.failed_at, exists (
      select from pgboss.job j
      where j.name = f.name and j.state = 'completed' and j.completed_on > f.failed_at
    ) as is_over
    from (
      select name, max(completed_on) as failed_at from pgboss.job
      where state = 'failed' and completed_on > clock_timestamp() - interval '24 hours'
        and name not like '\\_\\_pgboss%'
      group by name
    ) f order by f.failed_at desc`;
  return [...found];
}
