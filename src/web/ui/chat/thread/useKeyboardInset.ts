import { useEffect, type RefObject } from 'react';

/** A smaller change is the browser's toolbar, not a keyboard. */
const KEYBOARD_PX = 120;

/**
 * On phones, keeps the bottom of a fixed element above the keyboard, which covers the page without changing its layout.
 */
export function useKeyboardInset(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const view = window.visualViewport;
    const parent = element.current?.parentElement;
    if (!view || !parent) return undefined;
    const fit = () => {
      const covered = window.innerHeight - view.height - view.offsetTop;
      const typing = view.scale <= 1.01 && covered > KEYBOARD_PX;
      parent.style.bottom = typing ? `${covered}px` : '';
    };
    view.addEventListener('resize', fit);
    view.addEventListener('scroll', fit);
    return () => {
      view.removeEventListener('resize', fit);
      view.removeEventListener('scroll', fit);
      parent.style.bottom = '';
    };
  }, [element]);
}
