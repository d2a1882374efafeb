const TOKEN = 'auth-token';
const REDIRECT = 'auth-redirect';
const VERSION = 1;

/** localStorage can be missing or full (private windows): then the session lives in this tab only. */
const memory = new Map<string, string>();

function read(name: string): string | null {
  try {
    return localStorage.getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

function write(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
    memory.delete(name);
  } catch {
    if (value === undefined) memory.delete(name);
    else memory.set(name, value);
  }
}

/** Encoded reversibly, as specified. This hides nothing: only the token is kept, no facts. */
export const encode = (text: string, mark?: string): string =>
  btoa(
    String.fromCharCode(
      ...new TextEncoder().encode(
        JSON.stringify(mark === undefined ? [VERSION, text] : [VERSION, text, mark]),
      ),
    ),
  );

/** The mark of the sign-in that a stored token belongs to: the same after `renewSessionToken`. */
function markOf(stored: string | null): string | undefined {
  try {
    const value: unknown = JSON.parse(atob(stored ?? ''));
    return Array.isArray(value) && typeof value[2] === 'string' ? value[2] : undefined;
  } catch {
    return undefined;
  }
}

/** What `encode` was given; '' for anything it did not make. */
export function decode(stored: string | null): string {
  if (!stored) return '';
  try {
    const bytes = Uint8Array.from(atob(stored), (letter) => letter.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const ours = Array.isArray(value) && value[0] === VERSION && typeof value[1] === 'string';
    return ours ? String(value[1]) : '';
  } catch {
    return '';
  }
}

/** The session's token, sent with every call; '' when nobody is signed in. */
export const sessionToken = (): string => decode(read(TOKEN));

export const saveSessionToken = (token: string): void =>
  write(TOKEN, encode(token, crypto.randomUUID()));

/** Stores a new token of the same session. Other tabs do not take it for another sign-in. */
export const renewSessionToken = (token: string): void =>
  write(TOKEN, encode(token, markOf(read(TOKEN))));

export const forgetSessionToken = (): void => write(TOKEN, undefined);

/** Where to go back to after signing in; to be judged by `safeTarget` when it is read. */
export const saveRedirect = (path: string): void => write(REDIRECT, encode(path));

/** The saved path, which is forgotten by reading it; '' when there is none. */
export function takeRedirect(): string {
  const path = decode(read(REDIRECT));
  write(REDIRECT, undefined);
  return path;
}

/**
 * Calls back when another tab signed in or out: the token in the storage changed.
 * @returns how to stop listening
 */
export function onSessionChange(changed: () => void): () => void {
  const look = (event: StorageEvent) => {
    const mark = markOf(event.oldValue);
    const isRenewed = mark !== undefined && mark === markOf(event.newValue);
    if ((event.key === TOKEN && !isRenewed) || event.key === null) changed();
  };
  window.addEventListener('storage', look);
  return () => window.removeEventListener('storage', look);
}
