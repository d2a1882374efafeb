import { createStore, useStore } from '#web/browser/store.ts';
import { whenIdle } from '#web/browser/scheduling/whenIdle.ts';

export type NoticePermission = NotificationPermission | 'unsupported';

const permission = (): NoticePermission =>
  'Notification' in window ? Notification.permission : 'unsupported';

/**
 * As it was when last looked: to ask the browser takes a phone some 5 ms, and a page is drawn often. It
 * changes in the browser's own settings too, beside the page or in another window.
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

/** Whether this browser may show desktop notices. */
export const useNoticePermission = (): NoticePermission => useStore(known);

/** Asks the person, by the browser's own question: only ever after a click of theirs. */
export async function askForNotices(): Promise<NoticePermission> {
  if (!('Notification' in window)) return 'unsupported';
  const answer = await Notification.requestPermission();
  known.set(permission());
  return answer;
}

/** The favicon as it stands in the page's head. */
const favicon = (): string =>
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href ?? '/favicon.svg';

type Notice = {
  /** A notice with the same tag takes the place of the former one; '' is no tag. */
  tag: string;
  title: string;
  body: string;
  /** A path of ours: where a click on it leads. */
  url: string;
  onOpen: () => void;
};

/**
 * A desktop notice, when the person allowed it; without a sound of its own, for we have one. Not when
 * the worker has shown one for the same thing: the push was faster.
 */
export async function showNotice({ tag, title, body, url, onOpen }: Notice): Promise<void> {
  if (permission() !== 'granted') return;
  const options = { tag, body, icon: favicon(), silent: true };
  const registration = await workerOf();
  if (registration) {
    // By the worker too, which hears of the click: two notices are one only when both are its own.
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
    // Phones know notices from service workers only.
  }
}

async function workerOf(): Promise<ServiceWorkerRegistration | undefined> {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  const registration = await serviceWorker?.getRegistration().catch(() => undefined);
  return registration?.active ? registration : undefined;
}
