import type * as z from 'zod/mini';
import postgres from 'postgres';
import { readBareStartup, socketFolderOf } from './address.ts';
import { houseSocket, startupPadding } from './socket.ts';
import { repairDriver } from './driver-repair.ts';

/** What the house reads and writes beside the driver's own types: `bigint` as a safe whole number. */
type HouseTypes = { bigint: number; date: string };

/** A pool of connections. */
export type Sql = postgres.Sql<HouseTypes>;
/** One transaction, on one connection. */
export type Tx = postgres.TransactionSql<HouseTypes>;
/** A piece of a statement, meant to be spliced into another. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/**
 * For whom a pool works. `tenant` sees the account named by `app.account` and nothing before it is
 * named; `house` sees all accounts; `owner` is the database's owner, for migrations only.
 */
export type As = 'tenant' | 'house' | 'owner';

const STATEMENT_TIMEOUT_MS: Record<As, number> = { tenant: 3_000, house: 60_000, owner: 0 };
const LOCK_TIMEOUT_MS = 3_000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const CONNECT_TIMEOUT_SECONDS = 5;
/** What the server is given beyond its own statement timeout before the connection counts as dead. */
const SILENCE_MS = 2_000;

type Wish = {
  /** Connections at most. */
  max: number;
  as: As;
  /** How the server lists the connections: `application_name`. */
  name: string;
};

/**
 * Opens a pool. Connections are made when they are first needed, so an unreachable server shows at
 * the first statement.
 *
 * `bigint` comes as a safe whole number (a RangeError when it is not one), `timestamptz` as Date,
 * `date` as `YYYY-MM-DD`, `bytea` as Buffer, `uuid` and `numeric` as text. A parameter for `jsonb` is
 * given as the object itself: a text would be stored as a JSON string.
 */
export function openDatabase(url: string, { max, as, name }: Wish): Sql {
  const statementMs = STATEMENT_TIMEOUT_MS[as];
  const { driverUrl } = readBareStartup(url);
  const sql = postgres<typeof houseTypes>(driverUrl, {
    ...socketFolderOf(driverUrl),
    max,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    keep_alive: 10,
    backoff: (tries) => Math.min(0.05 * 2 ** tries, 0.5) * (0.5 + Math.random() / 2),
    onnotice: () => undefined,
    types: houseTypes,
    ...houseSocket(url, {
      connectMs: CONNECT_TIMEOUT_SECONDS * 1_000,
      silenceMs: statementMs === 0 ? 0 : statementMs + SILENCE_MS,
    }),
    connection: {
      ...startupPadding,
      application_name: `kabari ${name}`,
      TimeZone: 'UTC',
      // Short statements only: compiling them costs more than it gives, on servers that would.
      jit: 'off',
      statement_timeout: statementMs,
      lock_timeout: as === 'owner' ? 0 : LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: as === 'owner' ? 0 : IDLE_IN_TRANSACTION_MS,
      ...(as !== 'owner' && { role: 'kabari_app' }),
      ...(as === 'house' && { 'app.account': '*' }),
    },
  });
  repairDriver(sql);
  return sql;
}

const houseTypes = {
  bigint: {
    to: 20,
    from: [20],
    serialize: (value: number) => String(value),
    parse: (text: string): number => {
      const value = Number(text);
      if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe whole number: ${text}`);
      return value;
    },
  },
  date: {
    to: 1082,
    from: [1082],
    serialize: (day: string) => day,
    parse: (day: string) => day,
  },
};

/**
 * Runs `work` in one transaction that sees one account. Naming the account travels with the first
 * statement of `work`, without a round trip of its own.
 */
export function asAccount<T>(
  sql: Sql,
  accountId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const done = sql.begin(async (tx) => {
    const named = tx`select set_config('app.account', ${accountId}, true)`.execute();
    const [result] = await Promise.all([work(tx), named]);
    return result;
  });
  return done as Promise<T>;
}

/**
 * The rows of a query as a schema reads them.
 *
 * @throws ZodError when a row has another shape: our bug.
 */
export async function rows<Schema extends z.ZodMiniType>(
  schema: Schema,
  query: PromiseLike<readonly object[]>,
): Promise<z.output<Schema>[]> {
  const found = await query;
  return found.map((row) => schema.parse(row));
}

/** True when the database refused something because of the constraint of this name. */
export const brokeConstraint = (error: unknown, name: string): boolean =>
  error instanceof postgres.PostgresError &&
  error.code.startsWith('23') &&
  error.constraint_name === name;

/** Codes after which the same work may well succeed: lost connections, locks, restarts, crowds. */
const transient =
  /^(25P03|40P01|40001|55P03|57P0[1235]|53300|08\w{3}|CONNECTION_\w+|CONNECT_TIMEOUT|ECONN\w+|EAGAIN|EPIPE|ETIMEDOUT|ENOENT)$/;

/** True for trouble that passes by itself; what was asked may or may not have been done. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  transient.test(error.code);

/**
 * True when the server gave up for want of something, memory, disk, time: what was asked was not done,
 * and nothing that was asked beside it would have fared better.
 */
export const isShort = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:53|58)\w{3}$|^57014$/.test(String(error.code));

const FIRST_PAUSE_MS = 20;

/**
 * Repeats work that transient trouble interrupted, with growing, scattered pauses (20 ms … 320 ms).
 *
 * Only for work that may be repeated: a connection lost during COMMIT leaves the outcome unknown.
 *
 * @throws what the last try threw, or at once what is not transient.
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
