import { isDemoted, isOutcomeUnknown, isOutdated } from './driver/errors.ts';
import { type As, type Place, type PoolOptions, ROLES } from './driver/client.ts';
import { Pool } from './driver/pool.ts';
import type { Compiled } from './driver/compile.ts';
import type { Row } from './driver/rows.ts';
import { type Fragment as Piece, type Result, type Run, type Tag, createTag } from './sql.ts';
import { type Transaction, type TransactionOptions, runTransaction } from './driver/transaction.ts';

export type Fragment = Piece;

/** Runs a text as it is: one statement if it has values, any number if it has none. */
type Query = <T extends readonly object[] = Row[]>(
  text: string,
  values?: readonly unknown[],
) => Promise<Result<T>>;

export type Tx = Tag & {
  readonly query: Query;
  /** Work that is rolled back alone if it rejects; the transaction goes on. */
  savepoint<T>(work: (tx: Tx) => PromiseLike<T> | T): Promise<T>;
};

export type Sql = Tag & {
  readonly query: Query;
  readonly place: Place;
  /** @param mode for `begin`, such as `isolation level serializable`. */
  begin<T>(work: (tx: Tx) => PromiseLike<T> | T, mode?: string): Promise<T>;
  /** @param timeout seconds after which pending work is cut off. */
  end(options?: { timeout?: number }): Promise<void>;
};

/**
 * Opens a pool. Connects on first use, so an unreachable server shows at the first statement.
 *
 * Returns `bigint` as a safe integer (a RangeError if it is not one), `timestamptz` as Date, `date` as `YYYY-MM-DD`,
 * `bytea` as Buffer, `uuid` and `numeric` as text. Parameters for `json` or `jsonb` must be wrapped in `json()`.
 */
export function openDatabase(url: string, options: PoolOptions): Sql {
  const pool = new Pool(url, options);
  return createSql({
    place: pool.place,
    as: options.as,
    run: (compiled) => (isScript(compiled) ? pool.runScript(compiled) : pool.run(compiled)),
    transact: (work, how) => runTransaction(pool, work, how),
    end: (how) => pool.end(how),
    waitedSeconds: () => pool.waitedSeconds,
  });
}

export type Runner = {
  readonly place: Place;
  readonly as: As;
  run: Run;
  transact<T>(
    work: (transaction: Transaction) => PromiseLike<T> | T,
    options: TransactionOptions,
  ): Promise<T>;
  end(options?: { timeout?: number }): Promise<void>;
  waitedSeconds: () => number;
};

const runners = new WeakMap<Sql, Runner>();

export function createSql(runner: Runner): Sql {
  const sql = Object.assign(createTag(runner.run), {
    query: queryWith(runner.run),
    place: runner.place,
    begin: <T>(work: (tx: Tx) => PromiseLike<T> | T, mode?: string) =>
      runner.transact((transaction) => work(createTx(transaction)), { mode }),
    end: runner.end,
  });
  runners.set(sql, runner);
  return sql;
}

export function runnerOf(sql: Sql): Runner {
  const runner = runners.get(sql);
  if (!runner) throw new TypeError('not a pool');
  return runner;
}

const isScript = ({ name, values }: Compiled): boolean => name === '' && values.length === 0;

function createTx(transaction: Transaction): Tx {
  const run: Run = (compiled) => transaction.run(compiled);
  const tx: Tx = Object.assign(createTag(run), {
    query: queryWith(run),
    savepoint: <T>(work: (tx: Tx) => PromiseLike<T> | T) => transaction.savepoint(() => work(tx)),
  });
  return tx;
}

const queryWith =
  (run: Run): Query =>
  <T extends readonly object[]>(text: string, values: readonly unknown[] = []) =>
    run({ text, name: '', types: [], values }) as unknown as Promise<Result<T>>;

/**
 * Runs `work` in one transaction that sees one account, also on a pool that sees all, without an extra round trip.
 *
 * @param settings that apply to this transaction only, beside the account.
 */
export function asAccount<T>(
  sql: Sql,
  accountId: string,
  work: (tx: Tx) => Promise<T>,
  settings: Record<string, string> = {},
): Promise<T> {
  const runner = runnerOf(sql);
  return runner.transact((transaction) => work(createTx(transaction)), {
    settings: {
      ...(runner.as === 'all accounts' && { role: ROLES.tenant }),
      'app.account': accountId,
      ...settings,
    },
  });
}

/**
 * Lost connections, locks, restarts, too many connections, a changed password, no descriptor left.
 */
const transient =
  /^(25P03|28P01|40P01|40001|55P03|57P0[1235]|53300|08\w{3}|CONNECTION_\w+|ECONN\w+|EMFILE|ENFILE|EHOST\w+|ENET\w+|ENOTFOUND|EAI_AGAIN|EAGAIN|EPIPE|ETIMEDOUT|ENOENT|FILES_AWAY)$/;

/** True for transient errors; the work may or may not have been done. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  (transient.test(error.code) || isOutdated(error) || isDemoted(error));

/**
 * True if the server ran out of memory, disk or time: the statement was not executed, and concurrent ones would have
 * failed too.
 */
export const isOutOfResources = (error: unknown): boolean =>
  error instanceof Error &&
  !isOutcomeUnknown(error) &&
  'code' in error &&
  /^(?:53|58)\w{3}$|^57014$/.test(String(error.code));

/** True for errors of the database itself, which concurrent statements would have met too. */
export const isDatabaseFailure = (error: unknown): boolean =>
  isTransient(error) || isOutOfResources(error);

/** True if a lock was not available within `lock_timeout`. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03';

const FIRST_PAUSE_MS = 20;

/**
 * Only for repeatable work: a connection lost during COMMIT leaves the outcome unknown. Pauses of 20 ms … 320 ms.
 *
 * @throws the error of the last attempt, or at once an error that is not transient.
 */
export async function retrying<T>(
  work: () => Promise<T>,
  { tries = 5, dice = Math.random }: { tries?: number; dice?: () => number } = {},
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried >= tries || !isTransient(error)) throw error;
      const pauseMs = FIRST_PAUSE_MS * 2 ** (tried - 1) * (0.5 + dice());
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
