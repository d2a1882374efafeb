import type { ConstructorOptions, Db, PgBoss } from 'pg-boss';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Log } from '#server/infra/observability/log.ts';

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
  close(): Promise<void>;
};

const SCHEMA = 'pgboss';
const INSTALL_LOCK = 7_206_218;
const WIB = 'Asia/Jakarta';
/** How often a queue is looked at; cron itself has minutes. */
const POLL_SECONDS = 20;
/** What is under way may finish for this long when the application closes. */
const FINISH_MS = 20_000;
const JOB_SECONDS_MAX = 900;

/**
 * Runs the application's jobs on pg-boss, over our own pools: each job once per turn,
 * whichever node takes it; a failed turn is tried again and a dead node's is taken over.
 *
 * @param owner a pool of the database's owner, for pg-boss's tables; used before this returns, then not.
 */
export async function startJobs(
  { owner, allAccountsSql, log }: { owner: Sql; allAccountsSql: Sql; log: Log },
  jobs: readonly Job[],
  { pollSeconds = POLL_SECONDS }: { pollSeconds?: number } = {},
): Promise<Jobs> {
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
    for (const job of jobs) await begin(boss, job, { log, pollSeconds });
  } catch (error) {
    // Whoever tries again begins anew.
    await boss.stop({ graceful: false, close: false }).catch(() => undefined);
    throw error;
  }
  return {
    start: async (name) => void (await boss.send(name)),
    close: () => boss.stop({ graceful: true, timeout: FINISH_MS, close: false }),
  };
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
  { log, pollSeconds }: { log: Log; pollSeconds: number },
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
  await boss.schedule(name, cron, null, { tz: WIB });
  await boss.work(name, { pollingIntervalSeconds: pollSeconds }, async () => {
    try {
      await run();
    } catch (error) {
      log.error({ err: error, job: name }, 'a job failed');
      throw error;
    }
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
