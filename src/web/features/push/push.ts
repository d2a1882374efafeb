import { pushConfig, registerPush, testPush, unregisterPush } from '#contract/push.ts';
import { perform } from '#web/api/act.ts';
import { apiUrl } from '#web/api/server.ts';
import { refusalCode } from '#web/api/errors.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { createStore, useStore } from '#web/browser/store.ts';
import { askForNotices } from '#web/browser/tab/notifications.ts';
import { pushToken, setPushToken } from '#web/browser/push/pushToken.ts';
import { sessionToken } from '#web/browser/session.ts';
import {
  forgetRecord,
  forgetRecords,
  inTurn,
  readRecord,
  writeRecord,
} from '#web/browser/push/records.ts';
import { decide, isFor, keyBytes, optionsOf } from '#web/browser/push/subscriptions.ts';

/**
 * The state of push in this browser:
 * - `unsupported`: the browser has no push, or the page is not secure; `install_first`: an iPhone or iPad, where the
 *   app must be on the home screen first;
 * - `denied`: the person refused the browser's prompt, and only its settings change that; `unasked`: not prompted yet;
 * - `off`: allowed, but switched off here; `starting`; `on`; `failed`: the push service or ours could not be reached,
 *   retried within the hour.
 */
export type PushState =
  | 'unsupported'
  | 'install_first'
  | 'denied'
  | 'unasked'
  | 'off'
  | 'starting'
  | 'on'
  | 'failed';

const OFF = 'push-off';
/** An offline browser may never settle a subscription. */
const PATIENCE_MS = 15_000;
const LEAVING_MS = 3_000;
const CHECK_MS = 3_600_000;

const state = createStore<PushState>(() => 'starting');
let checkedAt = 0;

function setState(next: PushState): PushState {
  state.set(next);
  return next;
}

export const usePushState = (): PushState => useStore(state);

/**
 * Keeps this browser subscribed while signed in: now, and when the tab is looked at again after an hour.
 *
 * @param enabled whether the person has push switched on in their settings.
 * @returns a function that stops it
 */
export function followPush(enabled: boolean): () => void {
  const look = () => {
    if (!document.hidden && Date.now() - checkedAt >= CHECK_MS) void check(enabled);
  };
  void check(enabled);
  document.addEventListener('visibilitychange', look);
  return () => document.removeEventListener('visibilitychange', look);
}

/**
 * Switches push on in this browser, after the browser's prompt if it is due; call it from a click. Never rejects.
 *
 * @returns the resulting state
 */
export async function enablePush(): Promise<PushState> {
  if (obstacle() === 'unasked') await askForNotices();
  storageSet('browser', OFF, undefined);
  return check(true);
}

/** Switches push off in this browser, until `enablePush` or another sign-in. Never rejects. */
export async function disablePush(): Promise<PushState> {
  storageSet('browser', OFF, '1');
  await dropOrLeave();
  return setState(obstacle() ?? 'off');
}

/**
 * Sends a notice to this browser now.
 *
 * @throws Refusal `push_gone` when this browser is no longer subscribed (the state is `off` then), `push_service_down`;
 * TransportError.
 */
export async function sendTestPush(): Promise<void> {
  try {
    await perform(testPush, { push_token: pushToken() });
  } catch (error) {
    if (refusalCode(error) === 'push_gone') await disablePush();
    throw error;
  }
}

/**
 * Removes push from this browser before the session ends on sign-out. Steps that take too long are left to the next
 * page (`startWorker`). Never rejects.
 */
export async function leavePush(): Promise<void> {
  const leaving = async () => {
    await inTurn(dropSubscription);
    const { clearAppBadge } = navigator as { clearAppBadge?: () => Promise<void> };
    await clearAppBadge?.call(navigator).catch(() => undefined);
    await forgetRecords();
  };
  await withTimeout(leaving(), LEAVING_MS).catch(() => undefined);
}

function obstacle(): PushState | undefined {
  const { serviceWorker, standalone } = navigator as {
    serviceWorker?: ServiceWorkerContainer;
    standalone?: boolean;
  };
  if (!serviceWorker || !('PushManager' in window) || !('Notification' in window)) {
    return standalone === false ? 'install_first' : 'unsupported';
  }
  if (Notification.permission === 'default') return 'unasked';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** One subscription and a token for it (docs/wire.md#push), in one tab at a time. */
async function check(enabled: boolean): Promise<PushState> {
  checkedAt = Date.now();
  const why = obstacle();
  if (why === 'unsupported' || why === 'install_first') {
    warn('this browser takes no push');
    return setState(why);
  }
  const off = why ?? (enabled && storageGet('browser', OFF) === undefined ? undefined : 'off');
  if (off !== undefined) {
    // Also when the permission was revoked, so that the server stops trying.
    if (await readRecord('push')) await dropOrLeave();
    return setState(off);
  }
  if (state.get() !== 'on') setState('starting');
  try {
    const registration = await workerReady(enabled);
    await inTurn(() => keepSubscription(registration));
    return setState('on');
  } catch (error) {
    warn(error instanceof Error ? error.message : 'failed');
    return setState('failed');
  }
}

/**
 * The worker first caches the whole app, which takes a slow phone too long to wait for: in that case this runs again as
 * soon as the worker is ready.
 */
async function workerReady(enabled: boolean): Promise<ServiceWorkerRegistration> {
  const { ready } = navigator.serviceWorker;
  const since = checkedAt;
  try {
    return await withTimeout(ready, PATIENCE_MS);
  } catch (error) {
    void ready.then(() => {
      if (checkedAt === since && sessionToken() !== '') void check(enabled);
    });
    throw error;
  }
}

function warn(why: string): void {
  // oxlint-disable-next-line no-console -- Specified: a browser without push is no error of anybody's.
  console.info(`push: ${why}`);
}

/** One subscription for the server's key, and a token for it that is valid for this session. */
async function keepSubscription({ pushManager, scope }: ServiceWorkerRegistration): Promise<void> {
  const { vapid_key: vapidKey } = await perform(pushConfig, {});
  let subscription = await pushManager.getSubscription();
  if (subscription && !isFor(subscription, vapidKey)) {
    await subscription.unsubscribe();
    subscription = null;
  }
  const applicationServerKey = keyBytes(vapidKey);
  const subscribing = { userVisibleOnly: true, applicationServerKey };
  subscription ??= await withTimeout(pushManager.subscribe(subscribing), PATIENCE_MS);
  const options = optionsOf(subscription, { vapidKey, scope });
  const old = await readRecord('push');
  const session = await digest(sessionToken());
  if (old && decide(old, { options, session }, Date.now()) === 'keep') {
    setPushToken(old.token);
    return;
  }
  const { endpoint, p256dh, auth } = options;
  const { token } = await perform(registerPush, {
    endpoint,
    p256dh,
    auth,
    vapid_key: vapidKey,
    ...(old && { old: old.token }),
  });
  setPushToken(token);
  await writeRecord('push', { token, createTime: Date.now(), options, session, apiUrl: apiUrl() });
}

/** Ends the subscription, on the server if it can be reached, and in this browser in any case. */
async function dropSubscription(): Promise<void> {
  const old = await readRecord('push');
  setPushToken('');
  if (old && sessionToken() !== '') {
    await perform(unregisterPush, { push_token: old.token }).catch(() => undefined);
  }
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  const registration = await serviceWorker?.getRegistration();
  const subscription = await registration?.pushManager?.getSubscription();
  await subscription?.unsubscribe().catch(() => undefined);
  // Last: if this is interrupted, the record shows that a subscription is left to end.
  await forgetRecord('push');
}

/** As `dropSubscription`; the record leaves a failure to the next check. Never rejects. */
const dropOrLeave = () => inTurn(dropSubscription).catch(() => undefined);

/** Identifies a session without storing its token a second time. */
async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(bytes).slice(0, 12)));
}

async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it took too long')), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
