import { isLookedAt } from '#web/browser/tab/lookedAt.ts';
import { createStore } from '#web/browser/store.ts';

/** The customer whose thread stands on this tab's screen; `undefined` for none. */
export const openThread = createStore<string | undefined>(() => undefined);

/** True when somebody looks at this customer's thread in this tab right now. */
export const isSeen = (accountId: string): boolean =>
  openThread.get() === accountId && isLookedAt();

/** Whether the next thread that is shown gives its box the focus. */
let wantsBox = false;

/** Brings the keys to the box of a thread that is being opened, or is open. */
export function focusBox(accountId: string): void {
  if (openThread.get() === accountId) boxOf(document)?.focus();
  else wantsBox = true;
}

/** Once a thread is shown: to its box, when it was opened by keys. @returns how to wait for the box no more */
export function takeFocus(thread: HTMLElement): () => void {
  if (!wantsBox) return () => undefined;
  wantsBox = false;
  const take = () => {
    const box = boxOf(thread);
    if (!box) return;
    box.focus();
    coming.disconnect();
  };
  // The chat's code may still be on its way.
  const coming = new MutationObserver(take);
  coming.observe(thread, { childList: true, subtree: true });
  take();
  return () => coming.disconnect();
}

const boxOf = (place: ParentNode): HTMLElement | null =>
  place.querySelector<HTMLElement>('[data-thread] textarea');
