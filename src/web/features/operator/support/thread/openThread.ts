import { isLookedAt } from '#web/browser/tab/lookedAt.ts';
import { createStore } from '#web/browser/store.ts';
import { boxOf, focusNextBox } from '#web/ui/chat/thread/boxFocus.ts';

/** The customer whose thread stands on this tab's screen; `undefined` for none. */
export const openThread = createStore<string | undefined>(() => undefined);

/** True when somebody looks at this customer's thread in this tab right now. */
export const isSeen = (accountId: string): boolean =>
  openThread.get() === accountId && isLookedAt();

/** Brings the keys to the box of a thread that is being opened, or is open. */
export function focusBox(accountId: string): void {
  if (openThread.get() === accountId) boxOf(document)?.focus();
  else focusNextBox();
}
