import { useSyncExternalStore } from 'react';

export type NoticePermission = NotificationPermission | 'unsupported';

const listeners = new Set<() => void>();

const permission = (): NoticePermission =>
  'Notification' in window ? Notification.permission : 'unsupported';

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether this browser may show desktop notices. */
export const useNoticePermission = (): NoticePermission =>
  useSyncExternalStore(subscribe, permission);

/** Asks the person, by the browser's own question: only ever after a click of theirs. */
export async function askForNotices(): Promise<NoticePermission> {
  if (!('Notification' in window)) return 'unsupported';
  const answer = await Notification.requestPermission();
  for (const listener of listeners) listener();
  return answer;
}

/** The favicon as it stands in the page's head. */
const favicon = (): string =>
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href ?? '/favicon.svg';

type Notice = {
  /** A notice with the same tag takes the place of the former one. */
  tag: string;
  title: string;
  body: string;
  onOpen: () => void;
};

/** A desktop notice, when the person allowed it; without a sound of its own, for we have one. */
export function showNotice({ tag, title, body, onOpen }: Notice): void {
  if (permission() !== 'granted') return;
  try {
    const notice = new Notification(title, { tag, body, icon: favicon(), silent: true });
    notice.addEventListener('click', () => {
      notice.close();
      window.focus();
      onOpen();
    });
  } catch {
    // Phones know notices from service workers only.
  }
}
