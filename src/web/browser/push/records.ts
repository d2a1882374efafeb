import type { PushRecord } from '#web/browser/push/subscriptions.ts';

/** The app's only IndexedDB database; deleted at sign-out. */
const NAME = 'kabari';
const STORE = 'kept';

type Records = {
  push: PushRecord;
  /** Whether a notification may make a sound while no page is open. */
  sound: boolean;
  [file: `file ${string}`]: File;
};

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('indexedDB')));
  });

/**
 * True if the database exists. Checked before reading, because `open` creates it, and even when that is aborted others
 * see it for a moment. True if the browser cannot tell.
 */
export async function hasRecords(): Promise<boolean> {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === NAME);
  } catch {
    return 'indexedDB' in globalThis;
  }
}

/** Runs work in one tab or worker at a time, where locks are available; on this browser's subscription by default. */
export async function inTurn<T>(work: () => Promise<T>, name = 'push'): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  return locks ? await locks.request(`kabari-${name}`, work) : work();
}

/** Opened for each use: an open database cannot be deleted by another tab. */
async function using<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>) {
  const opening = indexedDB.open(NAME, 1);
  opening.addEventListener('upgradeneeded', () => {
    // A read must not create the database.
    if (mode === 'readonly') opening.transaction?.abort();
    else opening.result.createObjectStore(STORE);
  });
  const database = await done(opening);
  try {
    return await done(work(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

/** Reads a stored record, for pages and the worker; `undefined` without storage. */
export const readRecord = async <Name extends keyof Records>(
  name: Name,
): Promise<Records[Name] | undefined> => {
  if (!(await hasRecords())) return undefined;
  const read = (store: IDBObjectStore) => store.get(name) as IDBRequest<Records[Name] | undefined>;
  return using('readonly', read).catch(() => undefined);
};

/** Stores a record; without storage it is lost. */
export const writeRecord = async <Name extends keyof Records>(
  name: Name,
  value: Records[Name],
): Promise<void> => {
  await using('readwrite', (store) => store.put(value, name)).catch(() => undefined);
};

export const forgetRecord = async (name: keyof Records): Promise<void> => {
  if (!(await hasRecords())) return;
  await using('readwrite', (store) => store.delete(name)).catch(() => undefined);
};

export const forgetRecords = async (): Promise<void> => {
  try {
    await done(indexedDB.deleteDatabase(NAME));
  } catch {
    // It did not exist.
  }
};
