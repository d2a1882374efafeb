import { useEffect, useLayoutEffect, useRef, type ComponentProps, type RefObject } from 'react';
import { placeMenu } from '#web/ui/menu/menus.ts';
import { float } from '#web/ui/overlay/floating.ts';

type Props = ComponentProps<'div'> & {
  /** What it belongs to: it hangs below it, and a press there is none elsewhere. */
  anchor: RefObject<HTMLElement | null>;
  /** Between it and its anchor, and the window's edge, px. */
  gap: number;
  edge: number;
  /** A press, or the focus, went elsewhere. */
  onLeave: () => void;
  /** Left out where something inside has its own use for that key. */
  onEscape?: () => void;
  /** Puts the focus into it, once it is shown. */
  onShown?: (popover: HTMLElement) => void;
};

/**
 * Something that floats below its field, above everything, while it is rendered. In the page it stands
 * where it is written, so that keys and screen readers come to it from the field.
 *
 * Its width and height may be told from `--anchor-width` and the `max-height` that it is given.
 */
export function Popover({ anchor, gap, edge, onLeave, onEscape, onShown, ...rest }: Props) {
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
    // A dialog around it hears of the same key later, and stays.
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
      // The focus goes back to where it came from, unless it has gone elsewhere.
      if (shown.contains(document.activeElement)) box.focus({ preventScroll: true });
    };
  }, [anchor, gap, edge]);
  return <div ref={popover} popover="manual" {...rest} />;
}
