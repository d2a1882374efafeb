/** Whether the next thread that is shown gives its box the focus. */
let isWanted = false;

/** The thread that is being opened, by keys, gives its box the focus once it is shown. */
export function focusNextBox(): void {
  isWanted = true;
}

/** The box of the thread in a place, where one writes. */
export const boxOf = (place: ParentNode): HTMLElement | null =>
  place.querySelector<HTMLElement>('[data-thread] textarea');

/** Once a thread is shown: to its box, when it was opened by keys. @returns how to wait for the box no more */
export function takeFocus(thread: HTMLElement): () => void {
  if (!isWanted) return () => undefined;
  isWanted = false;
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
