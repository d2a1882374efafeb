import { createStore } from '#web/browser/store.ts';

/** What screen readers announce, and how many announcements there were. */
export const announcements = createStore(() => ({ text: '', turn: 0 }));

/** Says something to screen readers, politely, without showing it. */
export function announce(text: string): void {
  announcements.set({ text, turn: announcements.get().turn + 1 });
}
