import { sessionToken } from '#web/browser/session.ts';

const PREFIX = 'kept:';

/** `browser`: all tabs, until sign-out. `tab`: this one only, also over a reload. */
export type Where = 'browser' | 'tab';

/** Storage can be missing or full (private windows): then what is stored lives as long as the page. */
const memory = new Map<string, string>();

const storageOf = (where: Where): Storage => (where === 'browser' ? localStorage : sessionStorage);

/** Keeps a text until it is replaced, or the person signs out; `undefined` forgets it. */
export function storageSet(where: Where, name: string, value: string | undefined): void {
  try {
    if (value === undefined) storageOf(where).removeItem(PREFIX + name);
    else storageOf(where).setItem(PREFIX + name, value);
    memory.delete(name);
  } catch {
    if (value === undefined) memory.delete(name);
    else memory.set(name, value);
  }
}

/** What was kept under this name. */
export function storageGet(where: Where, name: string): string | undefined {
  try {
    return storageOf(where).getItem(PREFIX + name) ?? memory.get(name);
  } catch {
    return memory.get(name);
  }
}

/** Erases everything that was kept: drafts and waiting messages are nobody else's business. */
export function storageClear(): void {
  memory.clear();
  for (const where of ['browser', 'tab'] as const) {
    try {
      const storage = storageOf(where);
      for (const name of Object.keys(storage)) {
        if (name.startsWith(PREFIX)) storage.removeItem(name);
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
