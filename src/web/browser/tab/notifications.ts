import { createStore, useStore } from '#web/browser/store.ts';
import { whenIdle } from '#web/browser/scheduling/whenIdle.ts';

export type NoticePermission = NotificationPermission | 'unsupported';

const permission = (): NoticePermission =>
  'Notification' in window ? Notification.permission : 'unsupported';

/**
 * Cached: reading the permission takes a phone some 5 ms, and components render often. It also changes in the browser's
 * settings.
 */
const known = createStore(permission, ({ set }) => {
  const look = () => set(permission());
  const stopLooking = whenIdle(look);
  window.addEventListener('focus', look);
  const { permissions } = navigator as { permissions?: Permissions };
  const stop = new AbortController();
  permissions
    ?.query({ name: 'notifications' })
    .then((status) => status.addEventListener('change', look, { signal: stop.signal }))
    .catch(() => undefined);
  return () => {
    stop.abort();
    stopLooking();
    window.removeEventListener('focus', look);
  };
});

export const useNoticePermission = (): NoticePermission => useStore(known);

/** Shows the browser's permission prompt; needs a click. */
export async function askForNotices(): Promise<NoticePermission> {
  if (!('Notification' in window)) return 'unsupported';
  const answer = await Notification.requestPermission();
  known.set(permission());
  return answer;
}

const favicon = (): string =>
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href ?? '/favicon.svg';

type Notice = {
  /** A notification replaces one with the same tag; '' is no tag. */
  tag: string;
  title: string;
  body: string;
  url: string;
  onOpen: () => void;
};

/**
 * Shows a desktop notification if it is permitted, silently because the app plays its own sound. Skips it if the worker
 * has already shown one for the same tag.
 */
export async function showNotice({ tag, title, body, url, onOpen }: Notice): Promise<void> {
  if (permission() !== 'granted') return;
  const options = { tag, body, icon: favicon(), silent: true };
  const registration = await workerOf();
  if (registration) {
    // Shown by the worker, which receives the click: only its own notifications replace each other.
    const shown = tag === '' ? [] : await registration.getNotifications({ tag });
    if (shown.length === 0)
      await registration.showNotification(title, { ...options, data: { url } });
    return;
  }
  try {
    const notice = new Notification(title, options);
    notice.addEventListener('click', () => {
      notice.close();
      window.focus();
      onOpen();
    });
  } catch {
    // Phones support notifications from service workers only.
  }
}

async function workerOf(): Promise<ServiceWorkerRegistration | undefined> {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  const registration = await serviceWorker?.getRegistration().catch(() => undefined);
  return registration?.active ? registration : undefined;
}
