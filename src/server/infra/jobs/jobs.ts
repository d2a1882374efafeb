import { setTimeout as pause } from 'node:timers/promises';
import type { ConstructorOptions, Db, PgBoss } from 'pg-boss';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Log } from '#server/infra/observability/log.ts';
import { lateAfterSeconds, recordFailure, recordSuccess, registerJobs } from './job-runs.ts';

/** Something to be done again and again, by one node at a time. */
export type Job = {
  /** Lower case and dashes; names its queue. */
  name: string;
  /** When, as cron says it, in WIB. */
  cron: string;
  /** Set for long work: a node that is silent for so many seconds is dead, and another takes the turn. */
  heartbeatSeconds?: number;
  /** How long a turn may take; 15 minutes without it. */
  secondsMax?: number;
  run: () => Promise<unknown>;
};

export type Jobs = {
  /** Runs a job out of its schedule, as soon as a worker is free. */
  start(name: string): Promise<void>;
  /** @throws Error when jobs do not run in this process: their start failed, or a queue is not polled any more. */
  check(): void;
  close(): Promise<void>;
};

type JobsDeps = { allAccountsSql: Sql; log: Log };

const SCHEMA = 'pgboss';
const INSTALL_LOCK = 7_206_218;
const WIB = 'Asia/Jakarta';
/** How often a queue is looked at; cron itself has minutes. */
const POLL_SECONDS = 20;
/** What is under way may finish for this long when the application closes. */
const FINISH_MS = 20_000;
const JOB_SECONDS_MAX = 900;
/** Pauses between tries to start, doubled each time. */
const START_AGAIN_MS = { first: 2_000, longest: 60_000 };
/** A queue that was not polled with success for this long makes the jobs start again. */
const SILENT_MS_MAX = 120_000;
const LOOK_MS = 10_000;

type Timings = {
  pollSeconds?: number;
  againMs?: typeof START_AGAIN_MS;
  silentMsMax?: number;
  lookMs?: number;
};

/**
 * Keeps the application's jobs running until they are closed. A start that fails for any reason and queues
 * that are not polled any more are followed by another start, after a pause that doubles up to a minute.
 *
 * @param openOwner opens a pool of the database's owner, for pg-boss's tables; it is closed again after each start.
 */
export function keepJobs(
  { openOwner, ...deps }: JobsDeps & { openOwner: () => Sql },
  jobs: readonly Job[],
  timings: Timings = {},
): Jobs {
  const { againMs = START_AGAIN_MS, lookMs = LOOK_MS } = timings;
  const { log } = deps;
  const closing = new AbortController();
  const rest = (ms: number) =>
    pause(ms, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
  let running: Jobs | undefined;
  /** Waited for by `start`; undefined once the jobs are closed. */
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
    for (let ms = againMs.first; !closing.signal.aborted; ms = Math.min(ms * 2, againMs.longest)) {
      try {
        await startOnce();
        ms = againMs.first;
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
 * Runs the application's jobs on pg-boss, over our own pools: each job once per turn,
 * whichever node takes it; a failed turn is tried again and a dead node's is taken over. A turn that fell due while
 * no node ran is made up for once.
 *
 * @param owner a pool of the database's owner, for pg-boss's tables; used before this returns, then not.
 */
export async function startJobs(
  { owner, allAccountsSql, log }: JobsDeps & { owner: Sql },
  jobs: readonly Job[],
  { pollSeconds = POLL_SECONDS, silentMsMax = SILENT_MS_MAX }: Timings = {},
): Promise<Jobs> {
  await registerJobs(allAccountsSql, jobs.map(registered));
  // Loaded here: with its schedules it takes longer to load than the rest of the application together.
  const { PgBoss } = await import('pg-boss');
  await install(PgBoss, owner);
  const boss = new PgBoss({
    ...options(allAccountsSql),
    migrate: false,
    createSchema: false,
    supervise: true,
    schedule: true,
    // These look after indexes and vacuum as the tables' owner, which the app is not.
    reindex: false,
    monitorVacuum: false,
  });
  // It copies what it caught into a plain object, with the name of the queue.
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
    // Whoever tries again begins anew.
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

/** @throws Error when a queue has no worker, or one that neither polls with success nor is at work. */
function refuseSilence(boss: PgBoss, jobs: readonly Job[], silentMsMax: number): void {
  const workers = new Map(boss.getWipData().map((worker) => [worker.name, worker]));
  const silent = jobs.filter(({ name }) => {
    const worker = workers.get(name);
    if (!worker) return true;
    const lastMs = worker.lastFetchedOn ?? worker.createdOn;
    return worker.count === 0 && Date.now() - lastMs > silentMsMax;
  });
  const [first] = silent;
  if (first) throw new Error(`${silent.length} queues of jobs are not polled: ${first.name}`);
}

/** Makes or renews pg-boss's tables, as the owner, and lets the app use them. */
async function install(Boss: typeof PgBoss, owner: Sql): Promise<void> {
  const boss = new Boss({ ...options(owner), supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.stop({ graceful: false, close: false });
  // One node at a time: PostgreSQL refuses two grants on the same thing at once (XX000).
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
  // `exclusive`: a turn that waits or is under way is not joined by a second.
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
 * pg-boss's statements on our pool, and so under its rules. A script (`begin; …; commit`) that fails leaves
 * its transaction open: the pool does not keep such a connection.
 */
const overOurs = (sql: Sql): Db => ({
  executeSql: async (text, values) => ({ rows: await sql.query(text, values?.map(asGiven)) }),
});

/** pg-boss leaves out what is null, and gives objects where its tables take JSON. */
function asGiven(value: unknown): unknown {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isPlain && !(value instanceof Date) ? json(value) : (value ?? null);
}
