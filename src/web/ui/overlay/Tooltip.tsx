import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { float } from '#web/ui/overlay/floating.ts';
import { placeBeside } from '#web/ui/menu/menus.ts';
import styles from '#web/ui/overlay/Tooltip.module.css';

/** A pointer that only passes by gets nothing. */
const DELAY_MS = 400;
/** Long enough to go over the gap onto the words. */
const LEAVE_MS = 150;

type Props = {
  /** The control's own name again: screen readers have it already, and do not read it twice. */
  text: string;
  /** Whether there is anything to tell: not while the words stand beside the icon. */
  off?: boolean;
  /** One control. */
  children: ReactNode;
};

/**
 * Shows the name of a control that is an icon alone, beside it: when it has the keyboard's focus, or a
 * mouse rests on it. Escape puts it away; the pointer may go onto it.
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
    // What comes up from the control; the place itself takes no part in the layout.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <span
      ref={place}
      className={styles['place']}
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
    // A mouse may rest where the focus is not.
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
    <span ref={tip} popover="manual" className={styles['tip']} aria-hidden="true">
      {text}
    </span>
  );
}
