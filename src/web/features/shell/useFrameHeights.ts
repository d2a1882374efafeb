import { useLayoutEffect, type RefObject } from 'react';
import { OFFLINE_PLACE } from '#web/ui/OfflineBar.tsx';

/**
 * Tells the styles how high what stands at the top of the window is, for what is as high as the rest of it:
 * `--above`, the bar of who is offline, and `--topbar`, that of phones. Both come and go, or grow.
 */
export function useFrameHeights(topbar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const places = new Map<Element | null, string>([
      [document.getElementById(OFFLINE_PLACE), '--above'],
      [topbar.current, '--topbar'],
    ]);
    const watcher = new ResizeObserver((entries) => {
      for (const { target } of entries) {
        const name = places.get(target);
        if (name) style.setProperty(name, `${(target as HTMLElement).offsetHeight}px`);
      }
    });
    for (const [place] of places) if (place) watcher.observe(place);
    return () => {
      watcher.disconnect();
      for (const [, name] of places) style.removeProperty(name);
    };
  }, [topbar]);
}
