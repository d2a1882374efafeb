import type { BrowserContext, CDPSession, Page, Worker } from 'playwright-core';
import type { PushService } from '#tests/push/push-service.ts';
import { newReceiver } from '#tests/push/receiver.ts';

type Keys = { endpoint: string; p256dh: string; auth: string };

/** Runs in every page before its own scripts: replaces the vendor's push service. */
function installPushManager({ endpoint, p256dh, auth }: Keys): void {
  const bytes = (text: string) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const SUBSCRIBED = 'journey-subscribed';
  const made = (applicationServerKey: ArrayBuffer) => ({
    endpoint,
    expirationTime: null,
    options: { userVisibleOnly: true, applicationServerKey },
    getKey: (name: string) => bytes(name === 'auth' ? auth : p256dh).buffer,
    toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
    unsubscribe: async () => {
      sessionStorage.removeItem(SUBSCRIBED);
      return true;
    },
  });
  const own = {
    subscribe: async ({ applicationServerKey: key }: { applicationServerKey: Uint8Array }) => {
      sessionStorage.setItem(SUBSCRIBED, btoa(String.fromCharCode(...key)));
      return made(new Uint8Array(key).buffer);
    },
    getSubscription: async () => {
      const key = sessionStorage.getItem(SUBSCRIBED);
      return key === null ? null : made(bytes(key).buffer);
    },
  };
  Object.assign(PushManager.prototype, own);
}

/** Connects a Chromium profile to a push service: posts arrive in the browser, decrypted. */
export async function givePush(context: BrowserContext, service: PushService) {
  const receiver = newReceiver();
  const endpoint = service.subscribe();
  await context.addInitScript(installPushManager, { endpoint, ...receiver.keys });
  await context.addInitScript(recordNotices);
  let deliver: ((text: string) => Promise<void>) | undefined;
  const arrived: string[] = [];
  const stop = service.onPost((post) => {
    if (post.endpoint !== endpoint || post.status !== 201) return;
    const text = receiver.read(post.body);
    arrived.push(text);
    deliver?.(text).catch(() => undefined);
  });
  context.once('close', stop);
  return {
    endpoint,
    arrived,
    /** From now on the browser gets the posts. @param page any of its origin; it must stay open. */
    async connect(page: Page) {
      const line = await context.newCDPSession(page);
      const origin = new URL(page.url()).origin;
      const registrationId = await registrationOf(line, origin);
      deliver = async (data) => {
        await line.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
      };
    },
    async forge(payload: unknown) {
      await deliver?.(JSON.stringify(payload));
    },
  };
}

function registrationOf(line: CDPSession, origin: string): Promise<string> {
  return new Promise((resolve, reject) => {
    line.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const found = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
      if (found) resolve(found.registrationId);
    });
    line.send('ServiceWorker.enable').catch(reject);
  });
}

/** A profile's service worker, once it controls its pages; from now on it records its notices. */
export async function workerOf(context: BrowserContext, page: Page): Promise<Worker> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller) return;
    await new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true });
    });
  });
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(recordNotices);
  return worker;
}

function recordNotices(): void {
  const own = globalThis as unknown as { shown: ShownNotice[] };
  own.shown = [];
  // An empty tab has none.
  if (!('ServiceWorkerRegistration' in globalThis)) return;
  const { showNotification: show } = ServiceWorkerRegistration.prototype;
  ServiceWorkerRegistration.prototype.showNotification = async function (title, options = {}) {
    await show.call(this, title, options);
    const { body = '', tag = '', icon = '', data } = options;
    const { url } = data as { url: string };
    own.shown.push({ title, body, tag, icon: new URL(icon, location.origin).href, url });
  };
}

export type ShownNotice = { title: string; body: string; tag: string; icon: string; url: string };

/**
 * Notices that a page or the worker has shown, in order. Recorded where they are shown: Chromium loses a notice if the
 * current ones are listed (`getNotifications`) at the moment it appears.
 */
export const shownBy = (one: Worker | Page): Promise<ShownNotice[]> =>
  (one as Page).evaluate(() => (globalThis as unknown as { shown: ShownNotice[] }).shown);

export const noticesOnScreen = (worker: Worker): Promise<number> =>
  worker.evaluate(async () => {
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
    return (await registration.getNotifications()).length;
  });

/**
 * The page's stored push token, for its `evaluate`. Creates no database: the page needs the store.
 */
export async function storedToken(): Promise<{ token: string } | undefined> {
  if ((await indexedDB.databases()).length === 0) return undefined;
  return new Promise((resolve) => {
    const opening = indexedDB.open('kabari');
    opening.addEventListener('upgradeneeded', () => opening.transaction?.abort());
    opening.addEventListener('error', () => resolve(undefined));
    opening.addEventListener('success', () => {
      const { result } = opening;
      const reading = result.transaction('kept').objectStore('kept').get('push');
      result.close();
      reading.addEventListener('success', () => resolve(reading.result as { token: string }));
    });
  });
}
