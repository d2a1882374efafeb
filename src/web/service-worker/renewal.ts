import { inTurn, readRecord, writeRecord } from '#web/browser/push/records.ts';
import type { Changing } from '#web/service-worker/scope.ts';
import { keyBytes, optionsOf, type PushRecord } from '#web/browser/push/subscriptions.ts';

/**
 * The browser changed its subscription while nobody looked: a new one, told to the server with the old
 * token as its proof. One at a time, for a browser may say it twice and each renewal ends the token before.
 * When that fails, the next start of the app sees the difference.
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
