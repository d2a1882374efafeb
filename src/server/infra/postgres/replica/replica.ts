import type { Log } from '#server/infra/observability/log.ts';
import type { Counter } from '#server/infra/observability/metrics.ts';
import { hostsOf, wanting } from '#server/infra/postgres/address.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { isShared, openDatabase } from '#server/infra/postgres/database.ts';
import { passPooler } from '#server/infra/postgres/pooler.ts';
import { verifyConnections } from '#server/infra/postgres/row-level-security.ts';
import { StartError } from '#server/infra/start-error.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
import { type Gate, createReadingSql } from './reading.ts';
import {
  FIRST_LSN,
  type Lsn,
  type Standing,
  currentLsn,
  laterOf,
  readStanding,
  replays,
} from './standing.ts';

type Views = {
  /** Sees one account at a time. */
  tenantSql: Sql;
  /** Sees all. */
  allAccountsSql: Sql;
};

/** Where long work reads that writes nothing: a replica while it stands well, else the database itself. */
export type Reading = Views & {
  /**
   * Sees to it that what is read from now on has all that was committed before: waits for the replica a while, and
   * has the database itself read when that takes too long.
   */
  catchUp: () => Promise<void>;
};

/** `used` is read; of the others nothing is, and the database itself is read instead. */
export type ReplicaState =
  | 'used'
  | 'behind'
  | 'away'
  | 'refused'
  | 'of another database'
  | 'no standby'
  | 'the database itself';

export type Replica = Reading & {
  /** How it stands; `undefined` without a replica. */
  stands: () => { state: ReplicaState; lagSeconds: number | null } | undefined;
  close: () => Promise<void>;
};

type Options = {
  /** Its address; without one, everything is read from the database itself. */
  url: string | undefined;
  /** The pools of the database itself. */
  primary: Views;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Counts what was to be read from the replica and was not, by why. */
  fallbacks: Counter;
  /** How often it is looked at, and how long readers wait for it. */
  lookMs?: number;
  patienceMs?: number;
};

const LOOK_MS = 5_000;
const PATIENCE_MS = 15_000;
const STARTING_MS = 1_000;
/** How long one look may be without an answer. */
const ANSWER_MS = 1_000;
/** Connections of each view: a file, an archive and the night's check at the same time. */
const CONNECTIONS = 3;
/** Trouble of readers is logged once in so long; each is counted. */
const LOG_EVERY_MS = 60_000;

/**
 * Opens the replica and looks after it: one that cannot be reached now is used as soon as it can.
 *
 * @throws StartError when it is of another database, or its connections see more than they may.
 */
export async function openReplica(options: Options): Promise<Replica> {
  const { url, primary } = options;
  if (url === undefined) {
    return {
      ...primary,
      catchUp: async () => undefined,
      stands: () => undefined,
      close: async () => undefined,
    };
  }
  // Of several servers a standby, whichever it is now; a single one is taken as it is, and told.
  const address = hostsOf(url).length > 1 ? wanting(url, 'standby') : url;
  const watched = new WatchedReplica(address, options);
  await watched.start();
  return {
    tenantSql: createReadingSql(primary.tenantSql, watched.gateOf('tenantSql')),
    allAccountsSql: createReadingSql(primary.allAccountsSql, watched.gateOf('allAccountsSql')),
    catchUp: () => watched.catchUp(),
    stands: () => watched.stands(),
    close: () => watched.close(),
  };
}

class WatchedReplica {
  readonly #url: string;
  readonly #options: Options;
  #pools: Views | undefined;
  #state: ReplicaState = 'away';
  #lagSeconds: number | null = null;
  /** What readers depend on: nothing older is read from the replica. */
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
    // What this start has migrated is there before anything is read.
    this.#floor = await currentLsn(this.#options.primary.allAccountsSql);
    try {
      await this.#look();
      // It is behind this very moment: a standby that stands well has that soon.
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

  stands() {
    return { state: this.#state, lagSeconds: this.#lagSeconds };
  }

  /** What decides where a view reads. */
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
    const { primary, fallbacks, patienceMs = PATIENCE_MS } = this.#options;
    const target = await currentLsn(primary.allAccountsSql);
    const wasUsed = this.#state === 'used';
    const trouble = wasUsed ? await this.#whyNotAt(target, patienceMs) : undefined;
    // Not before the replica is there: until then, others read what they depend on.
    this.#floor = laterOf(this.#floor, target);
    if (wasUsed && !trouble) return;
    if (trouble) this.#set(...trouble);
    fallbacks.add({ why: this.#state });
  }

  /** Waits until the replica has replayed a position; why it has not, when it has not in time. */
  async #whyNotAt(
    target: Lsn,
    patienceMs: number,
  ): Promise<[state: ReplicaState, error?: unknown] | undefined> {
    if (!this.#pools) return ['away'];
    try {
      // A silent server would let one look take a minute.
      const has = await withTimeout(
        replays(this.#pools.allAccountsSql, target, patienceMs),
        patienceMs + ANSWER_MS,
        () => false,
      );
      return has ? undefined : ['behind'];
    } catch (error) {
      if (!isShared(error)) throw error;
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
    const asked = this.#pools.allAccountsSql;
    // When it is the database itself that does not answer, there is nothing to compare with.
    const trouble = await asked`select 1`.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (trouble !== undefined) return this.#set('away', trouble);
    const floor = this.#floor;
    const standing = await readStanding(primary.allAccountsSql, asked, floor).catch(
      () => undefined,
    );
    if (!standing || this.#isClosed) return;
    this.#lagSeconds = standing.lagSeconds;
    if (!standing.isOurs && this.#timer === undefined) {
      throw new StartError(
        'DATABASE_REPLICA_URL names the server of another database, not a standby of the one at DATABASE_URL; name its standby, or leave it away.',
      );
    }
    const state = stateOf(standing);
    // Readers depend on more by now than this look has asked for: the next one tells.
    if (state === 'used' && floor !== this.#floor) return;
    this.#set(state);
  }

  #set(state: ReplicaState, error?: unknown): void {
    if (state !== 'used' && state !== 'behind') this.#lagSeconds = null;
    if (state === this.#state || this.#isClosed) return;
    this.#state = state;
    if (this.#timer !== undefined) this.#log(error);
  }

  /** One line each time it stands otherwise. */
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

/** How a replica is used that stands like this. */
export function stateOf({ isOurs, isPrimary, isStandby, isCaughtUp }: Standing): ReplicaState {
  if (!isOurs) return 'of another database';
  if (isPrimary) return 'the database itself';
  if (!isStandby) return 'no standby';
  return isCaughtUp ? 'used' : 'behind';
}

/** @throws StartError when a connection sees more than it may; others when it cannot be reached. */
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
