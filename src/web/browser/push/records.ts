import type { PushRecord } from '#web/browser/push/subscriptions.ts';

/** The only database of ours in a browser; gone at sign-out. */
const NAME = 'kabari';
const STORE = 'kept';

type Records = {
  push: PushRecord;
  /** Whether a notice may sound where no page can. */
  sound: boolean;
  /** What a line that is not sent yet brings along, by the line's id. */
  [file: `file ${string}`]: File;
};

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('indexedDB')));
  });

/**
 * Whether there is anything of ours: asked before reading, for `open` makes what is not there, and even
 * when that is taken back at once, others see it for a moment. Who cannot tell says yes.
 */
export async function hasRecords(): Promise<boolean> {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === NAME);
  } catch {
    return 'indexedDB' in globalThis;
  }
}

/** Works on this browser's subscription in one tab or worker at a time, where the browser can see to it. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  return locks ? await locks.request('kabari-push', work) : work();
}

/** Opened for each use: a database that stays open cannot be deleted by another tab. */
async function using<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>) {
  const opening = indexedDB.open(NAME, 1);
  opening.addEventListener('upgradeneeded', () => {
    // Who only reads makes no database: there is nothing in it.
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

/** What is stored under a name, by pages and the worker alike; `undefined` without a storage. */
export const readRecord = async <Name extends keyof Records>(
  name: Name,
): Promise<Records[Name] | undefined> => {
  if (!(await hasRecords())) return undefined;
  const read = (store: IDBObjectStore) => store.get(name) as IDBRequest<Records[Name] | undefined>;
  return using('readonly', read).catch(() => undefined);
};

/** Stores something; where there is no storage it is forgotten at once. */
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

/** Deletes all of it, the database included. */
export const forgetRecords = async (): Promise<void> => {
  try {
    await done(indexedDB.deleteDatabase(NAME));
  } catch {
    // There was none.
  }
};
