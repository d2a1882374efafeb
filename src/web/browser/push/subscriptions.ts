/** A subscription of this browser, as far as it matters whether it is still the same. */
export type PushOptions = {
  vapidKey: string;
  scope: string;
  endpoint: string;
  p256dh: string;
  auth: string;
};

/** A device push token and what it was given for; kept so that the worker can read it too. */
export type PushRecord = {
  token: string;
  /** When it was given or last refreshed, in milliseconds. */
  createTime: number;
  options: PushOptions;
  /** Which session it was given to: the server forgets it when that ends. */
  session: string;
  /** Where acts are asked for. */
  apiUrl: string;
};

/** What is to be done about a token: `replace` and `refresh` are the server's to tell apart. */
export type PushDecision = 'register' | 'replace' | 'refresh' | 'keep';

const FRESH_MS = 7 * 24 * 3_600_000;
const compared = ['vapidKey', 'scope', 'endpoint', 'p256dh', 'auth'] as const;

/**
 * What is to be done about a device push token (docs/wire.md#push): none yet, given for another
 * subscription or to another session, seven days or more old, or good as it is.
 */
export function decide(
  old: Pick<PushRecord, 'createTime' | 'options' | 'session'> | undefined,
  current: Pick<PushRecord, 'options' | 'session'>,
  now: number,
): PushDecision {
  if (!old) return 'register';
  if (old.session !== current.session) return 'replace';
  if (compared.some((name) => old.options[name] !== current.options[name])) return 'replace';
  // A clock that was set back makes no token young for ever.
  return Math.abs(now - old.createTime) >= FRESH_MS ? 'refresh' : 'keep';
}

const base64url = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** A server's key as `subscribe` takes it. */
export const keyBytes = (vapidKey: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(vapidKey.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );

/** Whether a subscription was made for this key of the server. */
export const isFor = (subscription: PushSubscription, vapidKey: string): boolean =>
  base64url(subscription.options.applicationServerKey) === vapidKey.replaceAll('=', '');

/** What there is to know of a subscription. */
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
