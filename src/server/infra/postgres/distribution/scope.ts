import { AsyncLocalStorage } from 'node:async_hooks';

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

/**
 * Runs work that concerns one account. In a distributed database its statements and transactions run where the rows
 * of that account lie, also those of pools that see all accounts; on one server there is only one such place. It
 * grants nothing: what may be seen is the matter of the pool and of `asAccount`.
 */
export const inAccount = <T>(accountId: string, work: () => T): T =>
  isUsed ? storage.run({ accountId }, work) : work();

/** As `inAccount`, where it is to be found out first whose work it is; on one server nobody asks. */
export const inAccountOf = async <T>(
  find: () => Promise<string>,
  work: () => Promise<T>,
): Promise<T> => (isUsed ? inAccount(await find(), work) : work());

/** Does something with the items of each account, where its rows lie; on one server with all of them at once. */
export async function withEachAccount<T extends { accountId: string }, R>(
  items: readonly T[],
  work: (some: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  if (!isUsed) return [...(await work(items))];
  const done: R[] = [];
  for (const [accountId, some] of Map.groupBy(items, (item) => item.accountId)) {
    done.push(...(await inAccount(accountId, () => work(some))));
  }
  return done;
}

/** Runs work on the accounts of one bucket, as `inAccount` does for one account. */
export const inBucket = <T>(bucket: number, work: () => T): T => storage.run({ bucket }, work);

/**
 * What goes on in one bucket, with functions that others call: whoever calls them, they run in that bucket.
 *
 * @param start starts it, and returns its functions, in objects.
 */
export const startInBucket = <T extends object>(bucket: number, start: () => T): T =>
  inBucket(bucket, () => bound(start()));

/** What works on the database as a whole, with functions that work on a part of it may call. */
export const startWhole = <T extends object>(start: () => T): T =>
  isUsed ? storage.exit(() => bound(start())) : start();

/** A function that runs in the present scope, whoever calls it. */
export const stay = <F extends (...given: never[]) => unknown>(work: F): F =>
  isUsed ? bound(work) : work;

/** A function, or the functions in an object and in the objects in it: they run in the present scope. */
function bound<T>(value: T): T {
  if (typeof value === 'function') return AsyncLocalStorage.bind(value as T & (() => unknown));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(([name, within]) => [name, bound<unknown>(within)]);
  return Object.fromEntries(entries) as T;
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
