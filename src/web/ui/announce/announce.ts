import { createStore } from '#web/browser/store.ts';

/** The last announcement, and the number of announcements. */
export const announcements = createStore(() => ({ text: '', turn: 0 }));

/** Announces a text to screen readers, politely and invisibly. */
export function announce(text: string): void {
  announcements.set({ text, turn: announcements.get().turn + 1 });
}
