import type { Fragment, Sql } from '#server/infra/postgres/database.ts';

/** How a replica stands beside its primary, at one moment. */
export type Standing = {
  /** Of the same cluster as the primary; false for the server of another. */
  isOurs: boolean;
  /** The primary itself, by another or the same address. */
  isPrimary: boolean;
  /** In recovery: it replays what a primary sends. */
  isStandby: boolean;
  /** How far it is behind what the primary has written: 0 when it has all of it, null when nobody can tell. */
  lagSeconds: number | null;
  /** It has replayed everything up to a position that readers depend on. */
  isCaughtUp: boolean;
};

/** A position in the write-ahead log, as PostgreSQL writes it: `16/B374D848`. */
export type Lsn = string;

/** Before everything. */
export const FIRST_LSN: Lsn = '0/0';

const valueOf = (lsn: Lsn): bigint => {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
};

/** The later of two positions. */
export const laterOf = (one: Lsn, two: Lsn): Lsn => (valueOf(one) < valueOf(two) ? two : one);

/**
 * The position behind everything that is committed on the primary. That is where inserting ends, and not where writing
 * does: a commit that did not wait for the disk is visible before it is written. But right behind a page's header no
 * record ends, and a replica that has everything stands before it.
 */
const endOfWal = (sql: Sql): Fragment => sql`
  (select case
    when inserted - written = 24 and (written - '0/0') % page = 0 then written
    when inserted - written = 40 and (written - '0/0') % segment = 0 then written
    else inserted end
  from (
    select pg_current_wal_insert_lsn() as inserted, pg_current_wal_lsn() as written,
      current_setting('wal_block_size')::int as page,
      pg_size_bytes(current_setting('wal_segment_size')) as segment
  ) ends)`;

/** The position behind everything that is committed on the primary now. */
export async function currentLsn(primary: Sql): Promise<Lsn> {
  const [row] = await primary<{ lsn: Lsn }[]>`select ${endOfWal(primary)}::text as lsn`;
  if (!row) throw new Error('the database answers nothing');
  return row.lsn;
}

type Server = { cluster: string; startedAt: Date };

/**
 * Looks at both servers.
 *
 * @param floor what the replica must have replayed to be caught up.
 */
export async function readStanding(primary: Sql, replica: Sql, floor: Lsn): Promise<Standing> {
  const [first] = await primary<(Server & { lsn: Lsn })[]>`
    select system_identifier::text as cluster, pg_postmaster_start_time() as "startedAt",
      ${endOfWal(primary)}::text as lsn from pg_control_system()`;
  if (!first) throw new Error('the database answers nothing');
  const [second] = await replica<
    (Server & Pick<Standing, 'isStandby' | 'isCaughtUp' | 'lagSeconds'>)[]
  >`
    select system_identifier::text as cluster, pg_postmaster_start_time() as "startedAt",
      pg_is_in_recovery() as "isStandby",
      coalesce(pg_last_wal_replay_lsn() >= ${floor}::pg_lsn, false) as "isCaughtUp",
      case when pg_last_wal_replay_lsn() >= ${first.lsn}::pg_lsn then 0
        else greatest(0, extract(epoch from
          clock_timestamp() - pg_last_xact_replay_timestamp()))::float8 end as "lagSeconds"
    from pg_control_system()`;
  if (!second) throw new Error('the replica answers nothing');
  const { isStandby, isCaughtUp, lagSeconds } = second;
  const isOurs = first.cluster === second.cluster;
  const isPrimary =
    isOurs && !isStandby && first.startedAt.getTime() === second.startedAt.getTime();
  return { isOurs, isPrimary, isStandby, lagSeconds, isCaughtUp };
}

/** Waits until a standby has replayed up to a position; false when it has not in time. */
export async function replays(replica: Sql, lsn: Lsn, patienceMs: number): Promise<boolean> {
  const until = performance.now() + patienceMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, 250)) {
    const [row] = await replica<{ done: boolean }[]>`
      select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as done`;
    if (row?.done) return true;
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
