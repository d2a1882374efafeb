import type { Sql } from '#server/infra/postgres/database.ts';

/** What time it is for money: renewals, expiry, prices, notices. */
export type Clock = {
  now: () => Date;
  /** Moves it forward; what is past already changes nothing. Absent where it cannot be moved. */
  move?: (to: Date) => void;
};

/** The clock of a process. One that was moved goes on from there, until the process ends. */
export function openClock({
  isMovable,
  real = () => new Date(),
}: {
  isMovable: boolean;
  real?: () => Date;
}): Clock {
  if (!isMovable) return { now: real };
  let ahead = 0;
  const now = () => new Date(real().getTime() + ahead);
  return {
    now,
    move: (to) => {
      ahead += Math.max(0, to.getTime() - now().getTime());
    },
  };
}

/** How often the database is asked for its time. */
const LOOK_MS = 1_500;
/** Differences below this are left alone: what is late by so much is late for other reasons. */
const APART_MS = 20;

type FollowDeps = {
  /** The database's time at this moment. */
  databaseNow: () => Promise<Date>;
  report: (trouble: unknown) => void;
  /** Milliseconds that pass evenly, whatever happens to the machine's clock. */
  evenly?: () => number;
};

/** The time of the database, as it is known here, without asking each time. */
export type DatabaseTime = { now: () => Date; close: () => void };

/**
 * The time of the database: asked for now and every 1.5 s, and counted on between by what passes evenly. All
 * nodes have the same time, and one whose machine's clock jumps does not notice it; signatures that are made
 * by it are valid, and what falls due does so once. While the database is away it is counted on.
 *
 * @throws Error when the database cannot be asked the first time.
 */
export async function followDatabaseTime({
  databaseNow,
  report,
  evenly = () => performance.now(),
}: FollowDeps): Promise<DatabaseTime> {
  let startMs: number | undefined;
  const look = async () => {
    const before = evenly();
    const theirs = (await databaseNow()).getTime();
    const tookMs = evenly() - before;
    const foundMs = theirs - before - tookMs / 2;
    // An answer that took long says less: what it cannot prove wrong stays.
    const isProved = startMs === undefined || Math.abs(foundMs - startMs) > tookMs / 2 + APART_MS;
    if (isProved) startMs = foundMs;
  };
  await look();
  let looking: Promise<void> | undefined;
  const lookOnce = () =>
    (looking ??= look()
      .catch(report)
      .finally(() => (looking = undefined)));
  const timer = setInterval(() => void lookOnce(), LOOK_MS).unref();
  return { now: () => new Date((startMs ?? 0) + evenly()), close: () => clearInterval(timer) };
}

/** What the database calls the time at this moment. */
export async function databaseNow(sql: Sql): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
  if (!row) throw new Error('the database does not know the time');
  return row.now;
}
