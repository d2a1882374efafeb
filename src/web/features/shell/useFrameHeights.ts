import { useLayoutEffect, type RefObject } from 'react';
import { OFFLINE_PLACE } from '#web/ui/frame/OfflineBar.tsx';

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
      // As it was measured: to ask the element again would lay out the page between two changes.
      for (const { target, borderBoxSize } of entries) {
        const name = places.get(target);
        const height = Math.round(borderBoxSize[0]?.blockSize ?? 0);
        if (name) style.setProperty(name, `${height}px`);
      }
    });
    for (const [place] of places) if (place) watcher.observe(place);
    return () => {
      watcher.disconnect();
      for (const [, name] of places) style.removeProperty(name);
    };
  }, [topbar]);
}
