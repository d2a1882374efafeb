import { useLayoutEffect, type RefObject } from 'react';
import { OFFLINE_PLACE } from '#web/ui/layout/OfflineBar.tsx';

/** The stylesheets' fallback values. */
const ABOVE_PX = 0;
const TOPBAR_PX = 56;

/**
 * Publishes the height of the offline bar (`--above`) and of the phone's top bar (`--topbar`) to the stylesheets. Both
 * may appear, disappear or grow.
 */
export function useFrameHeights(topbar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const bars = new Map<Element | null, { name: string; px: number }>([
      [document.getElementById(OFFLINE_PLACE), { name: '--above', px: ABOVE_PX }],
      [topbar.current, { name: '--topbar', px: TOPBAR_PX }],
    ]);
    const watcher = new ResizeObserver((entries) => {
      // Uses the observer's size: measuring the element would force a layout between two changes.
      for (const { target, borderBoxSize } of entries) {
        const px = Math.round(borderBoxSize[0]?.blockSize ?? 0);
        const bar = bars.get(target);
        // Setting a variable recomputes all styles: only on a change, and not for a hidden bar.
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
