import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import {
  useEffect,
  useRef,
  useState,
  type RefObject,
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import { createPortal } from 'react-dom';
import { useTopLayer } from '#web/ui/overlay/topLayer.ts';
import styles from '#web/ui/toast/Toaster.module.css';
import { classes } from '#web/ui/classes.ts';
import { useStore } from '#web/browser/store.ts';
import { dismissToast, TOAST_MS, toasts, type Toast } from '#web/ui/toast/toasts.ts';

const icons = { info: Info, success: CircleCheck, warning: TriangleAlert, danger: CircleAlert };

/**
 * Shows the toasts of `toast()`, for 5 s each; the time pauses on hover or focus, and while the page is out of view. F8
 * moves there and Escape back. One per page, through `ToastHost`.
 */
export function Toaster() {
  const shown = useStore(toasts);
  const region = useRef<HTMLElement>(null);
  const { paused, ...watched } = useAttention(region);
  const list = (urgent: boolean) =>
    shown
      .filter(({ tone }) => (tone === 'danger') === urgent)
      .map((one) => <One key={one.id} toast={one} paused={paused} region={region} />);
  const ready = useLiveRegions();
  return createPortal(
    <section
      ref={region}
      className={classes('grid gap-8 p-16 no-outline pointer-none', styles['viewport'])}
      aria-label="Pemberitahuan (F8)"
      tabIndex={-1}
      {...watched}
    >
      {/* Live regions must exist before their text, or it is not read. */}
      <div role="alert" aria-atomic="false" className={classes('grid gap-8', styles['region'])}>
        {ready && list(true)}
      </div>
      <div role="status" aria-atomic="false" className={classes('grid gap-8', styles['region'])}>
        {ready && list(false)}
      </div>
    </section>,
    useTopLayer(),
  );
}

/** False for the first frame, in which the regions are empty. */
function useLiveRegions(): boolean {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), 50);
    return () => clearTimeout(timer);
  }, []);
  return ready;
}

type OneProps = { toast: Toast; paused: boolean; region: RefObject<HTMLElement | null> };

function One({ toast: { id, text, tone, action }, paused, region }: OneProps) {
  const Icon = icons[tone];
  const card = useRef<HTMLDivElement>(null);
  const close = () => {
    // The focus moves from a closed toast to the region.
    if (card.current?.contains(document.activeElement)) region.current?.focus();
    dismissToast(id);
  };
  useTimeLeft(paused, () => dismissToast(id));
  const swipe = useSwipe(card, () => dismissToast(id));
  return (
    <div
      ref={card}
      role="group"
      className={classes(
        'flex gap-10 border rounded-lg raised shadow ink leading-ui',
        styles['toast'],
      )}
      data-hue={tone}
      {...swipe}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        close();
      }}
    >
      <Icon size={18} className={styles['icon']} aria-hidden="true" />
      <p className="fill">{text}</p>
      {action && (
        <button
          type="button"
          className={classes('flex-none min-h-24 text-accent strong underline', styles['action'])}
          onClick={() => {
            close();
            action.onAction();
          }}
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        className={classes('place-center flex-none rounded-sm faint hover-ink', styles['close'])}
        aria-label="Tutup"
        onClick={close}
      >
        <X size={16} />
      </button>
    </div>
  );
}

/** Calls back when the toast's time is over; a pause keeps the remaining time. */
function useTimeLeft(paused: boolean, over: () => void): void {
  const left = useRef(TOAST_MS);
  const then = useRef(over);
  useEffect(() => {
    then.current = over;
  });
  useEffect(() => {
    if (paused) return undefined;
    const began = performance.now();
    const timer = setTimeout(() => then.current(), left.current);
    return () => {
      clearTimeout(timer);
      left.current = Math.max(0, left.current - (performance.now() - began));
    };
  }, [paused]);
}

/** True while the tab is hidden, or the window is in the background. */
function useAway(): boolean {
  const [away, setAway] = useState(document.hidden);
  useEffect(() => {
    const leave = () => setAway(true);
    const look = () => setAway(document.hidden);
    window.addEventListener('blur', leave);
    window.addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      window.removeEventListener('blur', leave);
      window.removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return away;
}

/**
 * Tracks attention to a region with temporary content: `paused` on hover, on focus or while the page is out of view. F8
 * moves the focus there from anywhere, Escape back.
 */
function useAttention(region: RefObject<HTMLElement | null>) {
  const away = useAway();
  const [over, setOver] = useState(false);
  const [inside, setInside] = useState(false);
  const before = useRef<Element | null>(null);
  useEffect(() => {
    const come = (event: globalThis.KeyboardEvent) => {
      const here = region.current;
      if (event.key !== 'F8' || !here || here.contains(document.activeElement)) return;
      event.preventDefault();
      before.current = document.activeElement;
      here.focus();
    };
    document.addEventListener('keydown', come);
    return () => document.removeEventListener('keydown', come);
  }, [region]);
  return {
    paused: away || over || inside,
    onPointerEnter: () => setOver(true),
    onPointerLeave: () => setOver(false),
    onFocus: () => setInside(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) setInside(false);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      if (before.current instanceof HTMLElement) before.current.focus();
      else region.current?.blur();
    },
  };
}

/** A horizontal move beyond this removes the card. */
const SWIPE_PX = 50;
/** A smaller move is a trembling press. */
const SLACK_PX = 8;

/** Swiping a card away to either side, by finger, pen or mouse. */
function useSwipe(card: RefObject<HTMLElement | null>, away: () => void) {
  const from = useRef<number>(undefined);
  const moved = (event: PointerEvent): number =>
    from.current === undefined ? 0 : event.clientX - from.current;
  const put = (px: number) => {
    card.current?.style.setProperty('--swiped', `${px}px`);
  };
  const rest = () => {
    from.current = undefined;
    put(0);
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button === 0) from.current = event.clientX;
    },
    onPointerMove: (event: PointerEvent) => {
      const px = moved(event);
      if (Math.abs(px) < SLACK_PX) return;
      // The card captures the pointer from here on; its buttons are not pressed.
      event.currentTarget.setPointerCapture(event.pointerId);
      put(px);
    },
    onPointerUp: (event: PointerEvent) => {
      if (Math.abs(moved(event)) >= SWIPE_PX) away();
      rest();
    },
    onPointerCancel: rest,
  };
}
