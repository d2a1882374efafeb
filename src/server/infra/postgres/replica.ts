import type { Log } from '#server/infra/observability/log.ts';
import type { Counter } from '#server/infra/observability/metrics.ts';
import { hostsOf, withTargetSession } from '#server/infra/postgres/address.ts';
import {
  type Sql,
  isDatabaseFailure,
  openDatabase,
  createSql,
  runnerOf,
  type Fragment,
} from '#server/infra/postgres/database.ts';
import { passPooler } from '#server/infra/postgres/pooler.ts';
import { verifyConnections } from '#server/infra/postgres/row-level-security.ts';
import { StartError } from '#server/infra/start-error.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
import type { Transaction, TransactionOptions } from '#server/infra/postgres/driver/transaction.ts';

export type ReplicationStatus = {
  isOurs: boolean;
  isPrimary: boolean;
  isStandby: boolean;
  /** Replication lag: 0 if it has replayed everything, null if unknown. */
  lagSeconds: number | null;
  /** It has replayed everything up to the position that readers depend on. */
  isCaughtUp: boolean;
};

/** A position in the write-ahead log, as PostgreSQL writes it: `16/B374D848`. */
type Lsn = string;

export const FIRST_LSN: Lsn = '0/0';

const valueOf = (lsn: Lsn): bigint => {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
};

const laterOf = (one: Lsn, two: Lsn): Lsn => (valueOf(one) < valueOf(two) ? two : one);

/**
 * The position after all commits on the primary. It is the insert position and not the write position: a commit that
 * did not wait for the disk is visible before it is written. But no record ends right after a page's header, and a
 * replica that has everything is before it.
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

export async function currentLsn(primary: Sql): Promise<Lsn> {
  const [row] = await primary<{ lsn: Lsn }[]>`select ${endOfWal(primary)}::text as lsn`;
  if (!row) throw new Error('the database answers nothing');
  return row.lsn;
}

type Server = { cluster: string; startedAt: Date };

/** @param floor the position the replica must have replayed to be caught up. */
export async function readReplicationStatus(
  primary: Sql,
  replica: Sql,
  floor: Lsn,
): Promise<ReplicationStatus> {
  const [first] = await primary<(Server & { lsn: Lsn })[]>`
    select system_identifier::text as cluster, pg_postmaster_start_time() as "startedAt",
      ${endOfWal(primary)}::text as lsn from pg_control_system()`;
  if (!first) throw new Error('the database answers nothing');
  const [second] = await replica<
    (Server & Pick<ReplicationStatus, 'isStandby' | 'isCaughtUp' | 'lagSeconds'>)[]
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

async function waitForReplay(replica: Sql, lsn: Lsn, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, 250)) {
    const [row] = await replica<{ done: boolean }[]>`
      select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as done`;
    if (row?.done) return true;
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

type Views = {
  tenantSql: Sql;
  allAccountsSql: Sql;
};

/** The pools for long read-only work: a replica while it is usable, else the database itself. */
export type Reading = Views & {
  /**
   * Waits until the replica has all present commits; after a while falls back to the database itself.
   */
  catchUp: () => Promise<void>;
};

export type ReplicaState =
  | 'used'
  | 'behind'
  | 'away'
  | 'refused'
  | 'of another database'
  | 'no standby'
  | 'the database itself';

export type Replica = Reading & {
  status: () => { state: ReplicaState; lagSeconds: number | null } | undefined;
  close: () => Promise<void>;
};

type Options = {
  url: string | undefined;
  primary: Views;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  fallbacks: Counter;
  lookMs?: number;
  catchUpMs?: number;
};

const LOOK_MS = 5_000;
const CATCH_UP_MS = 15_000;
const STARTING_MS = 1_000;
const ANSWER_MS = 1_000;
/** Connections of each view: for a file, an archive and the nightly check at the same time. */
const CONNECTIONS = 3;
/** Reader errors are logged at most this often; each is counted. */
const LOG_EVERY_MS = 60_000;

/**
 * Opens the replica and monitors it: an unreachable one is used once it becomes reachable.
 *
 * @throws StartError if it belongs to another database, or its connections see more than they may.
 */
export async function openReplica(options: Options): Promise<Replica> {
  const { url, primary } = options;
  if (url === undefined) {
    return {
      ...primary,
      catchUp: async () => undefined,
      status: () => undefined,
      close: async () => undefined,
    };
  }
  // Of several servers, the current standby; a single one is used as it is, and reported.
  const address = hostsOf(url).length > 1 ? withTargetSession(url, 'standby') : url;
  const watched = new WatchedReplica(address, options);
  await watched.start();
  return {
    tenantSql: createReadingSql(primary.tenantSql, watched.gateOf('tenantSql')),
    allAccountsSql: createReadingSql(primary.allAccountsSql, watched.gateOf('allAccountsSql')),
    catchUp: () => watched.catchUp(),
    status: () => watched.status(),
    close: () => watched.close(),
  };
}

class WatchedReplica {
  readonly #url: string;
  readonly #options: Options;
  #pools: Views | undefined;
  #state: ReplicaState = 'away';
  #lagSeconds: number | null = null;
  /** The position readers depend on: the replica is not read before it has replayed it. */
  #floor: Lsn = FIRST_LSN;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #warnedAt = -Infinity;

  constructor(url: string, options: Options) {
    this.#url = url;
    this.#options = options;
  }

  async start(): Promise<void> {
    // Migrations of this start must be replayed before anything is read.
    this.#floor = await currentLsn(this.#options.primary.allAccountsSql);
    try {
      await this.#look();
      // It lags behind this very moment: a healthy standby catches up soon.
      if (this.#state === 'behind' && !(await this.#whyNotAt(this.#floor, STARTING_MS))) {
        this.#set('used');
      }
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#log();
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look()
        .catch((error: unknown) => this.#set('refused', error))
        .finally(() => (this.#looking = undefined));
    }, this.#options.lookMs ?? LOOK_MS);
    this.#timer.unref();
  }

  status() {
    return { state: this.#state, lagSeconds: this.#lagSeconds };
  }

  gateOf(view: keyof Views): Gate {
    return {
      replica: () => (this.#state === 'used' ? this.#pools?.[view] : undefined),
      floor: () => this.#floor,
      failed: (error) => {
        this.#options.fallbacks.add({ why: 'interrupted' });
        this.#warn(error);
      },
      isOld: () => {
        this.#options.fallbacks.add({ why: 'behind' });
        this.#set('behind');
      },
    };
  }

  async catchUp(): Promise<void> {
    const { primary, fallbacks, catchUpMs = CATCH_UP_MS } = this.#options;
    const target = await currentLsn(primary.allAccountsSql);
    const wasUsed = this.#state === 'used';
    const trouble = wasUsed ? await this.#whyNotAt(target, catchUpMs) : undefined;
    // Not before the replica is there: until then, other readers need the former position only.
    this.#floor = laterOf(this.#floor, target);
    if (wasUsed && !trouble) return;
    if (trouble) this.#set(...trouble);
    fallbacks.add({ why: this.#state });
  }

  async #whyNotAt(
    target: Lsn,
    timeoutMs: number,
  ): Promise<[state: ReplicaState, error?: unknown] | undefined> {
    if (!this.#pools) return ['away'];
    try {
      // Without a limit, a silent server could block a check for a minute.
      const has = await withTimeout(
        waitForReplay(this.#pools.allAccountsSql, target, timeoutMs),
        timeoutMs + ANSWER_MS,
        () => false,
      );
      return has ? undefined : ['behind'];
    } catch (error) {
      if (!isDatabaseFailure(error)) throw error;
      return ['away', error];
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const pools = this.#pools ? Object.values(this.#pools) : [];
    await Promise.all(pools.map((sql) => sql.end({ timeout: 5 })));
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { primary } = this.#options;
    try {
      this.#pools ??= await openPools(this.#url);
    } catch (error) {
      if (error instanceof StartError) throw error;
      return this.#set('away', error);
    }
    const replica = this.#pools.allAccountsSql;
    // If the database itself does not answer, there is nothing to compare with.
    const trouble = await replica`select 1`.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (trouble !== undefined) return this.#set('away', trouble);
    const floor = this.#floor;
    const status = await readReplicationStatus(primary.allAccountsSql, replica, floor).catch(
      () => undefined,
    );
    if (!status || this.#isClosed) return;
    this.#lagSeconds = status.lagSeconds;
    if (!status.isOurs && this.#timer === undefined) {
      throw new StartError(
        'DATABASE_REPLICA_URL names the server of another database, not a standby of the one at DATABASE_URL; name its standby, or leave it away.',
      );
    }
    const state = stateOf(status);
    // Readers depend on a newer position than this check: the next one decides.
    if (state === 'used' && floor !== this.#floor) return;
    this.#set(state);
  }

  #set(state: ReplicaState, error?: unknown): void {
    if (state !== 'used' && state !== 'behind') this.#lagSeconds = null;
    if (state === this.#state || this.#isClosed) return;
    this.#state = state;
    if (this.#timer !== undefined) this.#log(error);
  }

  #log(error?: unknown): void {
    const { log } = this.#options;
    if (this.#state === 'used') return log.info('the replica is read');
    log.warn(
      { reason: this.#state, ...(error !== undefined && { err: error }) },
      'the replica is not read, and the database itself is instead',
    );
  }

  #warn(error: unknown): void {
    const now = performance.now();
    if (now - this.#warnedAt < LOG_EVERY_MS) return;
    this.#warnedAt = now;
    this.#options.log.warn(
      { err: error },
      'the replica failed a reader, who read the database itself',
    );
  }
}

export function stateOf({
  isOurs,
  isPrimary,
  isStandby,
  isCaughtUp,
}: ReplicationStatus): ReplicaState {
  if (!isOurs) return 'of another database';
  if (isPrimary) return 'the database itself';
  if (!isStandby) return 'no standby';
  return isCaughtUp ? 'used' : 'behind';
}

/** @throws StartError if a connection sees more than it may; other errors if it is unreachable. */
async function openPools(url: string): Promise<Views> {
  const address = await passPooler(url);
  const open = (as: 'tenant' | 'all accounts') =>
    openDatabase(address, { max: CONNECTIONS, as, name: `replica ${as}` });
  const pools = { tenantSql: open('tenant'), allAccountsSql: open('all accounts') };
  const setting = 'DATABASE_REPLICA_URL';
  try {
    await verifyConnections([
      { sql: pools.tenantSql, max: CONNECTIONS, sees: 'one account', setting },
      { sql: pools.allAccountsSql, max: CONNECTIONS, sees: 'all accounts', setting },
    ]);
    return pools;
  } catch (error) {
    await Promise.all(Object.values(pools).map((sql) => sql.end({ timeout: 0 })));
    throw error;
  }
}

type Gate = {
  replica: () => Sql | undefined;
  floor: () => Lsn;
  failed: (error: unknown) => void;
  /** The replica lacks data that readers depend on: another server answers at its address. */
  isOld: () => void;
};

type Work<T> = (transaction: Transaction) => PromiseLike<T> | T;

/**
 * Read-only statements and transactions: on the replica, or, if that fails, again on the primary. Work may therefore
 * run twice, and must have no side effects except its result.
 */
function createReadingSql(primary: Sql, gate: Gate): Sql {
  const transact = async <T>(work: Work<T>, options: TransactionOptions): Promise<T> => {
    const reading = { ...options, mode: readOnly(options.mode) };
    const replica = gate.replica();
    if (replica) {
      const read = await readFrom(replica, work, { gate, reading });
      if (read) return read.result;
    }
    return runnerOf(primary).transact(work, reading);
  };
  return createSql({
    place: primary.place,
    as: runnerOf(primary).as,
    run: (compiled) => transact((transaction) => transaction.run(compiled), {}),
    transact,
    // The underlying pools have their own metrics, and are closed by their opener.
    waitedSeconds: () => 0,
    end: async () => undefined,
  });
}

const readOnly = (mode: string | undefined): string =>
  mode?.includes('read only') ? mode : `${mode ?? ''} read only`.trim();

class Old extends Error {}

/** @returns `undefined` if the replica could not answer; throws the errors of the work itself. */
async function readFrom<T>(
  replica: Sql,
  work: Work<T>,
  { gate, reading }: { gate: Gate; reading: TransactionOptions },
): Promise<{ result: T } | undefined> {
  try {
    const result = await runnerOf(replica).transact(async (transaction) => {
      const look = transaction.run(hasReplayed(gate.floor()));
      const done = Promise.resolve(work(transaction)).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      const [row] = await look;
      const outcome = await done;
      // Before the work's error: data missing on a replica that lags looks like any error.
      if (row?.['done'] !== true) throw new Old();
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    }, reading);
    return { result };
  } catch (error) {
    if (error instanceof Old) gate.isOld();
    else if (isDatabaseFailure(error)) gate.failed(error);
    else throw error;
    return undefined;
  }
}

const hasReplayed = (lsn: Lsn) => ({
  text: 'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as done',
  name: 'k_has_replayed',
  types: [],
  values: [lsn],
});
