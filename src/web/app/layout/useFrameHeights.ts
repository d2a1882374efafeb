import { useLayoutEffect, type RefObject } from 'react';
import { OFFLINE_PLACE } from '#web/ui/layout/OfflineBar.tsx';

/** What the styles take where nothing is said. */
const ABOVE_PX = 0;
const TOPBAR_PX = 56;

/**
 * Tells the styles how high what stands at the top of the window is, for what is as high as the rest of it:
 * `--above`, the bar of who is offline, and `--topbar`, that of phones. Both come and go, or grow.
 */
export function useFrameHeights(topbar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const bars = new Map<Element | null, { name: string; px: number }>([
      [document.getElementById(OFFLINE_PLACE), { name: '--above', px: ABOVE_PX }],
      [topbar.current, { name: '--topbar', px: TOPBAR_PX }],
    ]);
    const watcher = new ResizeObserver((entries) => {
      // As it was measured: to ask the element again would lay out the page between two changes.
      for (const { target, borderBoxSize } of entries) {
        const px = Math.round(borderBoxSize[0]?.blockSize ?? 0);
        const bar = bars.get(target);
        // Every style on the page is worked out anew for it: only for what is not so already. A bar that
        // is not shown is nobody's measure.
        if (!bar || bar.px === px || (px === 0 && target === topbar.current)) continue;
        bar.px = px;
        style.setProperty(bar.name, `${px}px`);
      }
    });
    for (const [bar] of bars) if (bar) watcher.observe(bar);
    return () => {
      watcher.disconnect();
      for (const { name } of bars.values()) style.removeProperty(name);
    };
  }, [topbar]);
}
