import { inTurn, readRecord, writeRecord } from '#web/browser/push/records.ts';
import type { Changing } from '#web/service-worker/scope.ts';
import { keyBytes, optionsOf, type PushRecord } from '#web/browser/push/subscriptions.ts';

/**
 * Renews a subscription that the browser changed in the background: registers the new one with the old token as proof.
 * One renewal at a time: a browser may send the event twice, and each renewal ends the previous token. After a failure
 * the next start of the app sees the difference.
 *
 * @returns the new token; `undefined` when there is none.
 */
export const renew = (
  event: Pick<Changing, 'newSubscription'>,
  registration: ServiceWorkerRegistration,
): Promise<string | undefined> => inTurn(() => renewNow(event, registration));

async function renewNow(
  { newSubscription }: Pick<Changing, 'newSubscription'>,
  registration: ServiceWorkerRegistration,
): Promise<string | undefined> {
  const old = await readRecord('push');
  if (!old) return undefined;
  const { vapidKey, scope } = old.options;
  const subscription =
    newSubscription ??
    (await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: keyBytes(vapidKey),
    }));
  const options = optionsOf(subscription, { vapidKey, scope });
  const token = await tokenFor(old, options);
  if (token === undefined) return undefined;
  await writeRecord('push', { ...old, token, createTime: Date.now(), options });
  return token;
}

async function tokenFor(
  old: PushRecord,
  { endpoint, p256dh, auth, vapidKey }: PushRecord['options'],
): Promise<string | undefined> {
  const body = new URLSearchParams({
    act: 'push_renew',
    token: '',
    fcm: old.token,
    key: crypto.randomUUID(),
    old: old.token,
    endpoint,
    p256dh,
    auth,
    vapid_key: vapidKey,
  });
  const response = await fetch(old.apiUrl, { method: 'POST', body });
  const { code, data } = (await response.json()) as { code?: unknown; data?: { token?: unknown } };
  return code === 1 && typeof data?.token === 'string' ? data.token : undefined;
}
