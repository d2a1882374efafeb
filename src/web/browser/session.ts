const TOKEN = 'auth-token';
const REDIRECT = 'auth-redirect';
const PASSWORD_AT = 'auth-password-at';
const VERSION = 1;

/** localStorage can be missing or full (private windows): the session then lives in this tab only. */
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

/** Encodes reversibly, as specified. It hides nothing: only the token is stored. */
export const encode = (text: string, mark?: string): string =>
  btoa(
    String.fromCharCode(
      ...new TextEncoder().encode(
        JSON.stringify(mark === undefined ? [VERSION, text] : [VERSION, text, mark]),
      ),
    ),
  );

/** The sign-in id of a stored token: unchanged by `renewSessionToken`. */
function markOf(stored: string | null): string | undefined {
  try {
    const value: unknown = JSON.parse(atob(stored ?? ''));
    return Array.isArray(value) && typeof value[2] === 'string' ? value[2] : undefined;
  } catch {
    return undefined;
  }
}

/** Reverses `encode`; '' for anything else. */
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

/** The session token, sent with every call; '' when signed out. */
export const sessionToken = (): string => decode(read(TOKEN));

export function saveSessionToken(token: string): void {
  write(TOKEN, encode(token, crypto.randomUUID()));
  savePasswordGiven();
}

/** Notes that the password was given now; false: that the server considers it too old. */
export const savePasswordGiven = (given = true): void =>
  write(PASSWORD_AT, String(given ? Date.now() : 0));

/** Seconds since the password was given in this browser; `undefined` if this is not known here. */
export function secondsSincePassword(): number | undefined {
  const at = read(PASSWORD_AT);
  return at === null ? undefined : (Date.now() - Number(at)) / 1000;
}

/** Stores a new token of the same session. Other tabs do not treat it as a sign-in. */
export const renewSessionToken = (token: string): void =>
  write(TOKEN, encode(token, markOf(read(TOKEN))));

export function forgetSessionToken(): void {
  write(TOKEN, undefined);
  write(PASSWORD_AT, undefined);
}

/** Saves the path to return to after signing in; check it with `safeTarget` after reading. */
export const saveRedirect = (path: string): void => write(REDIRECT, encode(path));

/** Reads and deletes the saved path; '' if there is none. */
export function takeRedirect(): string {
  const path = decode(read(REDIRECT));
  write(REDIRECT, undefined);
  return path;
}

/**
 * Listens for sign-in and sign-out in other tabs: the stored token changed.
 * @returns the stop function
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
