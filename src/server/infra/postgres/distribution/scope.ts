import { AsyncLocalStorage } from 'node:async_hooks';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { Statement } from '#server/infra/postgres/sql.ts';

/** What the present work concerns: one account, or all of one bucket. */
export type Scope = { accountId: string } | { bucket: number };

const storage = new AsyncLocalStorage<Scope>();
let isUsed = false;

/** From now on scopes are heard, until what is returned is called: a distributed database asks for them. */
export function useScopes(): () => void {
  isUsed = true;
  return () => void (isUsed = false);
}

/** What the present work concerns; undefined for the database as a whole. */
export const presentScope = (): Scope | undefined => storage.getStore();

const within = <T>(scope: Scope, work: () => T): T => storage.run(scope, () => begun(work()));

/** A statement that is returned runs in its scope as well, though it is awaited elsewhere, which is what runs it. */
const begun = <T>(done: T): T =>
  done instanceof Statement ? (done.then((result: unknown) => result) as T) : done;

/**
 * Runs work that concerns one account. In a distributed database its statements and transactions run where the rows
 * of that account lie, also those of pools that see all accounts; on one server there is only one such place. It
 * grants nothing: what may be seen is the matter of the pool and of `asAccount`.
 */
export const inAccount = <T>(accountId: string, work: () => T): T =>
  isUsed ? within({ accountId }, work) : work();

/** One transaction about an account, which sees what its pool sees. */
export const beginIn = <T>(sql: Sql, accountId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inAccount(accountId, () => sql.begin(work));

/** Runs work that concerns the database as a whole, whatever it is part of. */
export const onCoordinator = <T>(work: () => T): T =>
  isUsed ? storage.exit(() => begun(work())) : work();

/**
 * SQL behind a sub-query that is asked once for each account: on one server it keeps the planner from reading the
 * table instead; the planner of a cluster cannot have it, and reads an index of each shard.
 */
export const perBucket = (sql: Sql): Fragment => (isUsed ? sql`` : sql`limit 1`);

/**
 * Runs work under a lock that it takes by itself on one server, where everybody meets: distributed, each account's
 * work takes its locks where the account lies, so it is also taken for the database as a whole.
 */
export const underLockOfAll = <T>(
  sql: Sql,
  lock: (tx: Tx) => PromiseLike<unknown>,
  work: () => Promise<T>,
): Promise<T> =>
  isUsed
    ? onCoordinator(() =>
        sql.begin(async (tx) => {
          await lock(tx);
          return work();
        }),
      )
    : work();

/**
 * Reads of the database as a whole what a transaction depends on, under a lock of `underLockOfAll`: on one server in
 * the transaction, which sees what the former holder of the lock committed.
 */
export const readWhole = <T>(
  { sql, tx }: { sql: Sql; tx: Tx },
  read: (from: Sql | Tx) => Promise<T>,
): Promise<T> => (isUsed ? onCoordinator(() => read(sql)) : read(tx));

/** As `inAccount`, where it is to be found out first whose work it is, if anybody's; on one server nobody asks. */
export async function inAccountOf<T>(
  find: () => Promise<string | undefined>,
  work: () => Promise<T>,
): Promise<T> {
  const accountId = isUsed ? await find() : undefined;
  return accountId === undefined ? work() : inAccount(accountId, work);
}

/** Does something with the items of each account, where its rows lie; on one server with all of them at once. */
export async function withEachAccount<T extends { accountId: string }, R>(
  items: readonly T[],
  work: (some: readonly T[]) => Promise<readonly R[] | void>,
): Promise<R[]> {
  if (!isUsed) return [...((await work(items)) ?? [])];
  const done: R[] = [];
  for (const [accountId, some] of Map.groupBy(items, (item) => item.accountId)) {
    done.push(...((await inAccount(accountId, () => work(some))) ?? []));
  }
  return done;
}

/**
 * Does something with the items of each account, within a transaction: on one server in it, with all of them at once;
 * in a distributed database in one for each account, which may be done although the one around them is not.
 */
export async function withEachAccountIn<T extends { accountId: string }>(
  { sql, tx }: { sql: Sql; tx: Tx },
  items: readonly T[],
  work: (tx: Tx, some: readonly T[]) => Promise<void>,
): Promise<void> {
  if (!isUsed) return work(tx, items);
  for (const [accountId, some] of Map.groupBy(items, (item) => item.accountId)) {
    await beginIn(sql, accountId, (own) => work(own, some));
  }
}

/** As `withEachAccountIn`, for one account. */
export const inAccountIn = <T>(
  { sql, tx }: { sql: Sql; tx: Tx },
  accountId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> => (isUsed ? beginIn(sql, accountId, work) : work(tx));

/** Runs work on the accounts of one bucket, as `inAccount` does for one account. */
export const inBucket = <T>(bucket: number, work: () => T): T => within({ bucket }, work);

/**
 * What goes on in one bucket, with functions that others call: whoever calls them, they run in that bucket.
 *
 * @param start starts it, and returns its functions, in objects.
 */
export const startInBucket = <T extends object>(bucket: number, start: () => T): T =>
  inBucket(bucket, () => bound(start()));

/** What works on the database as a whole, with functions that work on a part of it may call. */
export const startOnCoordinator = <T extends object>(start: () => T): T =>
  isUsed ? storage.exit(() => bound(start())) : start();

/** A function, or those in an object and in the objects in it: they run in the present scope, whoever calls them. */
export const stay = <T extends object>(work: T): T => (isUsed ? bound(work) : work);

function bound<T>(value: T): T {
  if (typeof value === 'function') return AsyncLocalStorage.bind(value as T & (() => unknown));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(([name, within]) => [name, bound<unknown>(within)]);
  return Object.fromEntries(entries) as T;
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
