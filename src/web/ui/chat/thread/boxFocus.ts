let isPending = false;

/** The next thread focuses its box: it was opened by keys. */
export function focusNextBox(): void {
  isPending = true;
}

export const boxOf = (place: ParentNode): HTMLElement | null =>
  place.querySelector<HTMLElement>('[data-thread] textarea');

/** Focuses the box of a thread that was opened by keys. @returns the cancel function */
export function takeFocus(thread: HTMLElement): () => void {
  if (!isPending) return () => undefined;
  isPending = false;
  const take = () => {
    const box = boxOf(thread);
    if (!box) return;
    box.focus();
    coming.disconnect();
  };
  // The chat's code may still be loading.
  const coming = new MutationObserver(take);
  coming.observe(thread, { childList: true, subtree: true });
  take();
  return () => coming.disconnect();
}
