import { useEffect, useLayoutEffect, useRef, type ComponentProps, type RefObject } from 'react';
import { placeMenu } from '#web/ui/menu/menus.ts';
import { classes } from '#web/ui/classes.ts';
import { float } from '#web/ui/overlay/floating.ts';

type Props = ComponentProps<'div'> & {
  /** The anchor above it; a press on it counts as inside. */
  anchor: RefObject<HTMLElement | null>;
  /** The distance to the anchor and to the window's edge, in px. */
  gap: number;
  edge: number;
  onLeave: () => void;
  /** Omitted if the content handles Escape itself. */
  onEscape?: () => void;
  onShown?: (popover: HTMLElement) => void;
};

/**
 * A popover below its anchor, above everything, while it is rendered. It stays at its place in the DOM, so that keys
 * and screen readers reach it from the field.
 *
 * It can adapt to `--anchor-width` and to the `max-height` that is set.
 */
export function Popover({
  anchor,
  gap,
  edge,
  onLeave,
  onEscape,
  onShown,
  className,
  ...rest
}: Props) {
  const popover = useRef<HTMLDivElement>(null);
  const now = useRef({ onLeave, onEscape, onShown });
  useEffect(() => {
    now.current = { onLeave, onEscape, onShown };
  });
  useLayoutEffect(() => {
    const [shown, box] = [popover.current, anchor.current];
    if (!shown || !box) return;
    shown.style.setProperty('--anchor-width', `${box.offsetWidth}px`);
    const stop = float(box, shown, (at, size, view) => placeMenu(at, size, view, { gap, edge }));
    now.current.onShown?.(shown);
    const over = new AbortController();
    const elsewhere = ({ target }: Event) => {
      if (target instanceof Node && !shown.contains(target) && !box.contains(target))
        now.current.onLeave();
    };
    // A surrounding dialog handles the same key later, and must stay open.
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || !now.current.onEscape) return;
      event.preventDefault();
      now.current.onEscape();
    };
    const options = { capture: true, signal: over.signal };
    document.addEventListener('pointerdown', elsewhere, options);
    document.addEventListener('focusin', elsewhere, options);
    document.addEventListener('keydown', escape, options);
    return () => {
      over.abort();
      stop();
      // Restores the focus, unless it has moved elsewhere.
      if (shown.contains(document.activeElement)) box.focus({ preventScroll: true });
    };
  }, [anchor, gap, edge]);
  return <div ref={popover} popover="manual" className={classes('popover', className)} {...rest} />;
}
