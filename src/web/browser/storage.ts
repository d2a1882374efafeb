import { sessionToken } from '#web/browser/session.ts';

/** What the names of all that is kept begin with, in the browser's own storages. */
export const STORAGE_PREFIX = 'kept:';

/** `browser`: all tabs, until sign-out. `tab`: this one only, also over a reload. */
export type Where = 'browser' | 'tab';

/** Storage can be missing or full (private windows): then what is stored lives as long as the page. */
export const storageMemory = new Map<string, string>();

/** The browser's own storage; throws where there is none. */
export const storageOf = (where: Where): Storage =>
  where === 'browser' ? localStorage : sessionStorage;

/** Keeps a text until it is replaced, or the person signs out; `undefined` forgets it. */
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

/** What was kept under this name. */
export function storageGet(where: Where, name: string): string | undefined {
  try {
    return storageOf(where).getItem(STORAGE_PREFIX + name) ?? storageMemory.get(name);
  } catch {
    return storageMemory.get(name);
  }
}

/** Erases everything that was kept: drafts and waiting messages are nobody else's business. */
export function storageClear(): void {
  storageMemory.clear();
  for (const where of ['browser', 'tab'] as const) {
    try {
      const storage = storageOf(where);
      for (const name of Object.keys(storage)) {
        if (name.startsWith(STORAGE_PREFIX)) storage.removeItem(name);
      }
    } catch {
      // Nothing was kept there.
    }
  }
}

/**
 * From now on what is stored is erased when the page is left by someone who signed out, in this tab or
 * in another one.
 *
 * @returns how to stop
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
