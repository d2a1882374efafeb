import { useLayoutEffect, useRef, type RefObject } from 'react';

/** Focuses the page's heading, without scrolling to it. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/** For a part that its own controls remove: the focus inside moves to the page's heading, instead of getting lost. */
export function useFocusFallback<Part extends HTMLElement>(): RefObject<Part | null> {
  const part = useRef<Part>(null);
  useLayoutEffect(() => {
    const shown = part.current;
    return () => {
      if (shown?.contains(document.activeElement)) focusHeading();
    };
  }, []);
  return part;
}
