import type { Sql } from '#server/infra/postgres/database.ts';

/** The time for money: renewals, expiry, prices, notices. */
export type Clock = {
  now: () => Date;
  /** Moves it forward; past times are ignored. Absent if the clock cannot be moved. */
  move?: (to: Date) => void;
};

/** A moved clock runs on from there until the process ends. */
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

const LOOK_MS = 1_500;
/** Smaller differences are ignored: delays of this size have other causes. */
const APART_MS = 20;

type FollowDeps = {
  databaseNow: () => Promise<Date>;
  report: (trouble: unknown) => void;
  /** Monotonic milliseconds, independent of changes to the machine's clock. */
  evenly?: () => number;
};

export type DatabaseTime = { now: () => Date; close: () => void };

/**
 * Queried every 1.5 s, and advanced in between by a monotonic clock, also while the database is unavailable. All
 * nodes have the same time, even if a machine's clock jumps.
 *
 * @throws Error if the first query fails.
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
    // A slow answer is less precise: keep the offset unless the answer proves it wrong.
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

export async function databaseNow(sql: Sql): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
  if (!row) throw new Error('the database does not know the time');
  return row.now;
}
