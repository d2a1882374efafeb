import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { float } from '#web/ui/overlay/floating.ts';
import { placeBeside } from '#web/ui/menu/menus.ts';
import styles from '#web/ui/overlay/Tooltip.module.css';
import { classes } from '#web/ui/classes.ts';

/** Ignores a pointer that only passes. */
const DELAY_MS = 400;
/** Long enough to cross the gap to the text. */
const LEAVE_MS = 150;

type Props = {
  /** The control's accessible name; hidden from screen readers, which have it already. */
  text: string;
  /** Disables it, while the text is beside the icon. */
  off?: boolean;
  children: ReactNode;
};

/**
 * The name of an icon button, shown beside it on keyboard focus or hover. Escape hides it; the pointer may move onto
 * it.
 */
export function Tooltip({ text, off = false, children }: Props) {
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const schedule = (next: boolean, delayMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(next), delayMs);
  };
  const now = (next: boolean) => {
    clearTimeout(timer.current);
    setOpen(next);
  };
  return (
    // Handles events of the control; the span itself has no box.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <span
      ref={place}
      className="contents"
      onPointerEnter={(event) => event.pointerType === 'mouse' && schedule(true, DELAY_MS)}
      onPointerLeave={() => schedule(false, LEAVE_MS)}
      onPointerDown={() => now(false)}
      onFocus={(event) => event.target.matches(':focus-visible') && now(true)}
      onBlur={() => now(false)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.preventDefault();
        now(false);
      }}
    >
      {children}
      {open && !off && <Tip text={text} place={place} onGone={() => now(false)} />}
    </span>
  );
}

type TipProps = { text: string; place: { current: HTMLElement | null }; onGone: () => void };

function Tip({ text, place, onGone }: TipProps) {
  const tip = useRef<HTMLSpanElement>(null);
  const gone = useRef(onGone);
  useEffect(() => {
    gone.current = onGone;
  });
  useLayoutEffect(() => {
    const anchor = place.current?.firstElementChild;
    if (!anchor || !tip.current) return;
    const stop = float(anchor, tip.current, placeBeside, () => gone.current());
    // On hover the control may not have the focus.
    const escape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') gone.current();
    };
    document.addEventListener('keydown', escape);
    return () => {
      stop();
      document.removeEventListener('keydown', escape);
    };
  }, [place]);
  return (
    <span
      ref={tip}
      popover="manual"
      className={classes(
        'rounded overflow-hidden small strong leading-ui forced-border',
        styles['tip'],
      )}
      aria-hidden="true"
    >
      {text}
    </span>
  );
}
