import { createStore } from '#web/browser/store.ts';

/** What screen readers are told, and how often they were told something. */
export const announcements = createStore(() => ({ text: '', turn: 0 }));

/** Says something to screen readers, politely, without showing it. */
export function announce(text: string): void {
  announcements.set({ text, turn: announcements.get().turn + 1 });
}
