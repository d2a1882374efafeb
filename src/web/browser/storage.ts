import { sessionToken } from '#web/browser/session.ts';

/** The prefix of our names in the browser's storages. */
export const STORAGE_PREFIX = 'kept:';

/** `browser`: all tabs, until sign-out. `tab`: this one only, survives a reload. */
export type Where = 'browser' | 'tab';

/** Storage can be missing or full (private windows): entries then live as long as the page. */
export const storageMemory = new Map<string, string>();

/** The browser's storage; throws if there is none. */
export const storageOf = (where: Where): Storage =>
  where === 'browser' ? localStorage : sessionStorage;

/** Stores a text until it is replaced or the person signs out; `undefined` deletes it. */
export function storageSet(where: Where, name: string, value: string | undefined): void {
  try {
    if (value === undefined) storageOf(where).removeItem(STORAGE_PREFIX + name);
    else storageOf(where).setItem(STORAGE_PREFIX + name, value);
    storageMemory.delete(name);
  } catch {
    if (value === undefined) storageMemory.delete(name);
    else storageMemory.set(name, value);
  }
}

export function storageGet(where: Where, name: string): string | undefined {
  try {
    return storageOf(where).getItem(STORAGE_PREFIX + name) ?? storageMemory.get(name);
  } catch {
    return storageMemory.get(name);
  }
}

/** Erases all stored texts: drafts and waiting messages are private. */
export function storageClear(): void {
  storageMemory.clear();
  for (const where of ['browser', 'tab'] as const) {
    try {
      const storage = storageOf(where);
      for (const name of Object.keys(storage)) {
        if (name.startsWith(STORAGE_PREFIX)) storage.removeItem(name);
      }
    } catch {
      // No storage, nothing to erase.
    }
  }
}

/**
 * Erases the storage when the page is left by someone who signed out, in this tab or another.
 *
 * @returns the stop function
 */
export function clearStorageAtSignOut(): () => void {
  const leave = () => {
    if (sessionToken() === '') storageClear();
  };
  window.addEventListener('pagehide', leave);
  return () => {
    leave();
    window.removeEventListener('pagehide', leave);
  };
}
