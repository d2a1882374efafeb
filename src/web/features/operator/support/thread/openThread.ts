import { isLookedAt } from '#web/browser/tab/lookedAt.ts';
import { createStore } from '#web/browser/store.ts';
import { boxOf, focusNextBox } from '#web/ui/chat/thread/boxFocus.ts';

/** The customer whose thread is on this tab's screen; `undefined` for none. */
export const openThread = createStore<string | undefined>(() => undefined);

/** True while this customer's thread is shown in this tab and the tab is being looked at. */
export const isSeen = (accountId: string): boolean =>
  openThread.get() === accountId && isLookedAt();

/** Focuses the box of a thread, now or once it is open. */
export function focusBox(accountId: string): void {
  if (openThread.get() === accountId) boxOf(document)?.focus();
  else focusNextBox();
}
