import { AsyncLocalStorage } from 'node:async_hooks';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { Statement } from '#server/infra/postgres/sql.ts';

export type Scope = { accountId: string } | { bucket: number };

const storage = new AsyncLocalStorage<Scope>();
let isUsed = false;

/** Turns scopes on for a distributed database. @returns turns them off. */
export function useScopes(): () => void {
  isUsed = true;
  return () => void (isUsed = false);
}

/** Undefined for the database as a whole. */
export const presentScope = (): Scope | undefined => storage.getStore();

const within = <T>(scope: Scope, work: () => T): T => storage.run(scope, () => begun(work()));

/** A returned statement starts within its scope, because it runs where it is first awaited. */
const begun = <T>(done: T): T =>
  done instanceof Statement ? (done.then((result: unknown) => result) as T) : done;

/**
 * Runs work on one account. In a distributed database its statements and transactions run in the bucket of that
 * account, including those of pools that see all accounts; one server has no buckets. Grants no visibility: that is
 * up to the pool and `asAccount`.
 */
export const inAccount = <T>(accountId: string, work: () => T): T =>
  isUsed ? within({ accountId }, work) : work();

export const beginIn = <T>(sql: Sql, accountId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inAccount(accountId, () => sql.begin(work));

/** Runs work on the database as a whole, even within a scope. */
export const onCoordinator = <T>(work: () => T): T =>
  isUsed ? storage.exit(() => begun(work())) : work();

/**
 * A suffix for a sub-query that runs once per account: on one server it keeps the planner from reading the whole
 * table instead; the planner of a cluster does not support it, and uses an index of each shard.
 */
export const perBucket = (sql: Sql): Fragment => (isUsed ? sql`` : sql`limit 1`);

/**
 * Runs work under a lock. On one server the work takes the lock itself; in a distributed database each account's work
 * locks in its bucket, so the lock is also taken at the coordinator.
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
 * Reads data of the whole database that a transaction depends on, under a lock of `underLockOfAll`. On one server it
 * runs in the transaction, which sees the commits of the former lock holder.
 */
export const readWhole = <T>(
  { sql, tx }: { sql: Sql; tx: Tx },
  read: (from: Sql | Tx) => Promise<T>,
): Promise<T> => (isUsed ? onCoordinator(() => read(sql)) : read(tx));

/** Like `inAccount`, for an account that is first looked up; on one server without the look-up. */
export async function inAccountOf<T>(
  find: () => Promise<string | undefined>,
  work: () => Promise<T>,
): Promise<T> {
  const accountId = isUsed ? await find() : undefined;
  return accountId === undefined ? work() : inAccount(accountId, work);
}

/** Runs work per account in its bucket; on one server once with all items. */
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
 * Runs work per account within a transaction: on one server once in that transaction; in a distributed database in
 * one transaction per account, which may commit although the surrounding one does not.
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

export const inAccountIn = <T>(
  { sql, tx }: { sql: Sql; tx: Tx },
  accountId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> => (isUsed ? beginIn(sql, accountId, work) : work(tx));

export const inBucket = <T>(bucket: number, work: () => T): T => within({ bucket }, work);

/**
 * Starts a service in one bucket: its functions run there, independent of their caller.
 *
 * @param start starts it, and returns its functions, in objects.
 */
export const startInBucket = <T extends object>(bucket: number, start: () => T): T =>
  inBucket(bucket, () => bound(start()));

/** Starts a service on the database as a whole, whose functions may be called within a scope. */
export const startOnCoordinator = <T extends object>(start: () => T): T =>
  isUsed ? storage.exit(() => bound(start())) : start();

/** Binds a function, or all functions of nested objects, to the present scope. */
export const bindScope = <T extends object>(work: T): T => (isUsed ? bound(work) : work);

function bound<T>(value: T): T {
  if (typeof value === 'function') return AsyncLocalStorage.bind(value as T & (() => unknown));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(([name, within]) => [name, bound<unknown>(within)]);
  return Object.fromEntries(entries) as T;
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
