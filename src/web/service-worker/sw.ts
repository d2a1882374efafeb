import { noticeFor, ownLink, readPush } from '#web/service-worker/notifications.ts';
import { readRecord } from '#web/browser/push/records.ts';
import { renew } from '#web/service-worker/renewal.ts';
import { strategyOf } from '#web/service-worker/routing.ts';
import type { Clicking, Pushing, WorkerScope } from '#web/service-worker/scope.ts';
import type { WorkerMessage } from '#web/browser/push/workerMessages.ts';
import { portalTabs, seenTab, tabFor } from '#web/service-worker/tabs.ts';

/** The files needed to start offline, and the name of this set. */
declare const __PRECACHE__: readonly string[];
declare const __VERSION__: string;

const worker = globalThis as unknown as WorkerScope;
const { origin } = worker.location;
const PREFIX = 'kabari ';
const CACHE = PREFIX + __VERSION__;
const PAGE = '/';

worker.addEventListener('install', (event) => event.waitUntil(fill()));

worker.addEventListener('activate', (event) => event.waitUntil(takeOver()));

worker.addEventListener('message', ({ data }) => {
  if ((data as { kind?: unknown } | null)?.kind === 'take-over') void worker.skipWaiting();
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { method, mode, url, destination, headers } = request;
  const partly = headers.has('range') || destination === 'audio' || destination === 'video';
  const way = strategyOf({ method, mode, url, partly }, origin, __PRECACHE__);
  if (way === 'page') event.respondWith(fetch(request).catch(() => found(PAGE)));
  if (way === 'file') event.respondWith(fetch(request).catch(() => found(request)));
  if (way === 'asset') event.respondWith(asset(request));
});

worker.addEventListener('push', (event) => event.waitUntil(receive(event)));

worker.addEventListener('notificationclick', (event) => event.waitUntil(open(event)));

worker.addEventListener('pushsubscriptionchange', (event) => {
  const renewing = async () => {
    const token = await renew(event, worker.registration).catch(() => undefined);
    if (token !== undefined) notify(await tabs(), { kind: 'renewed', token });
  };
  event.waitUntil(renewing());
});

/** Caches the app's files, reusing those of an older version. */
async function fill(): Promise<void> {
  const cache = await caches.open(CACHE);
  const cacheOne = async (path: string) => {
    const had = path.startsWith('/assets/') ? await found(path).catch(() => undefined) : undefined;
    if (had) await cache.put(path, had);
    else await cache.add(new Request(path, { cache: 'reload' }));
  };
  await Promise.all(__PRECACHE__.map(cacheOne));
}

async function takeOver(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  // Keeps the newest old cache: tabs that still run that version load chunks from it.
  await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** Looks in the caches of all versions. @throws TypeError if the file is not cached, as fetch does. */
async function found(what: Request | string): Promise<Response> {
  const how = { ignoreVary: true };
  const cache = await caches.open(CACHE);
  const cached = (await cache.match(what, how)) ?? (await caches.match(what, how));
  if (!cached) throw new TypeError('not cached');
  return cached;
}

/** A hashed file never changes: the cached one is always current. */
async function asset(request: Request): Promise<Response> {
  const cached = await found(request).catch(() => undefined);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok && response.type === 'basic') {
    const copy = response.clone();
    const cache = await caches.open(CACHE);
    await cache.put(request, copy).catch(() => undefined);
  }
  return response;
}

const tabs = async () =>
  portalTabs(await worker.clients.matchAll({ type: 'window', includeUncontrolled: true }), origin);

function notify(to: Awaited<ReturnType<typeof tabs>>, word: WorkerMessage): void {
  for (const tab of to) tab.postMessage(word);
}

/** Handles a push: by the focused tab, else by a notification. */
async function receive({ data }: Pushing): Promise<void> {
  const pushed = readPush(data?.text(), origin);
  const { id, title, body, url, unread } = pushed;
  const open = await tabs();
  const seen = seenTab(open);
  if (seen) {
    notify([seen], { kind: 'push', id, title, body, url, shown: false });
  } else {
    // An open page plays the sound, once; a worker has only the system's sound.
    const silent = open.length > 0 || (await readRecord('sound')) === false;
    await worker.registration.showNotification(title, noticeFor(pushed, { silent }));
    notify(open, { kind: 'push', id, title, body, url, shown: true });
  }
  const { navigator } = worker;
  if (unread === 0) await navigator.clearAppBadge?.().catch(() => undefined);
  else if (unread !== undefined) await navigator.setAppBadge?.(unread).catch(() => undefined);
}

/** Opens the page of a clicked notification, in an existing tab or a new one. */
async function open({ notification, action }: Clicking): Promise<void> {
  if (action !== '') return;
  notification.close();
  const { url: link } = (notification.data ?? {}) as { url?: unknown };
  const url = ownLink(link, origin);
  if (url === undefined) return;
  const tab = tabFor(await tabs(), url, origin);
  if (!tab) {
    await worker.clients.openWindow(url);
    return;
  }
  // Some browsers refuse the focus; the tab navigates all the same.
  await tab.focus().catch(() => undefined);
  tab.postMessage({ kind: 'go', url });
}
