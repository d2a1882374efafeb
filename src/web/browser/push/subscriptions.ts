/** The properties that identify a subscription of this browser. */
export type PushOptions = {
  vapidKey: string;
  scope: string;
  endpoint: string;
  p256dh: string;
  auth: string;
};

/** A device push token and what it was issued for; stored so that the worker can read it. */
export type PushRecord = {
  token: string;
  /** When it was issued or last refreshed, in ms. */
  createTime: number;
  options: PushOptions;
  /** The session it was issued to; the server drops it when the session ends. */
  session: string;
  apiUrl: string;
};

/** The server distinguishes `replace` from `refresh`. */
export type PushDecision = 'register' | 'replace' | 'refresh' | 'keep';

const FRESH_MS = 7 * 24 * 3_600_000;
const compared = ['vapidKey', 'scope', 'endpoint', 'p256dh', 'auth'] as const;

/**
 * Decides about a device push token (docs/wire.md#push): none yet, issued for another subscription or session, seven
 * days or older, or valid.
 */
export function decide(
  old: Pick<PushRecord, 'createTime' | 'options' | 'session'> | undefined,
  current: Pick<PushRecord, 'options' | 'session'>,
  now: number,
): PushDecision {
  if (!old) return 'register';
  if (old.session !== current.session) return 'replace';
  if (compared.some((name) => old.options[name] !== current.options[name])) return 'replace';
  // A clock set back must not keep a token young for ever.
  return Math.abs(now - old.createTime) >= FRESH_MS ? 'refresh' : 'keep';
}

const base64url = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** A server key in the format of `subscribe`. */
export const keyBytes = (vapidKey: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(vapidKey.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );

export const isFor = (subscription: PushSubscription, vapidKey: string): boolean =>
  base64url(subscription.options.applicationServerKey) === vapidKey.replaceAll('=', '');

export const optionsOf = (
  subscription: PushSubscription,
  { vapidKey, scope }: { vapidKey: string; scope: string },
): PushOptions => ({
  vapidKey,
  scope,
  endpoint: subscription.endpoint,
  p256dh: base64url(subscription.getKey('p256dh')),
  auth: base64url(subscription.getKey('auth')),
});
