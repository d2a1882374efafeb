import { GripVertical } from 'lucide-react';
import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent as ReactPointerEvent,
} from 'react';
import styles from '#web/ui/upload/upload.module.css';
import { classes } from '#web/ui/classes.ts';
import { givingWay, landing, moved, type Box } from '#web/ui/upload/reorder/reorder.ts';
import { worded, type UploadLabels } from '#web/ui/upload/uploadLabels.ts';

/** The distance (px) from which a press is a drag. */
const DRAG_PX = 4;

type Named = { key: string; name: string };

type Around = {
  items: readonly Named[];
  elementOf: (key: string) => HTMLElement | undefined;
  onMove: (key: string, from: number, to: number) => void;
  announce: (text: string) => void;
  labels: UploadLabels;
};

/** A lifted item: by the keyboard, or dragged by so many pixels. */
type Lift = { key: string; from: number; to: number; by?: number; boxes?: readonly Box[] };

export type Reorder = {
  order: readonly string[];
  lifted: Lift | undefined;
  /** An item's offset from its place, in px. */
  shiftOf: (key: string) => number;
  onKeyDown: (event: KeyboardEvent, key: string) => void;
  onBlur: (key: string) => void;
  onPointerDown: (event: ReactPointerEvent<HTMLElement>, key: string) => void;
};

/**
 * Reorders items by dragging, or with a handle's keys (Space lifts, arrows move, Space drops, Escape cancels). The
 * order changes only on the drop.
 */
export function useReorder({ items, elementOf, onMove, announce, labels }: Around): Reorder {
  const [lift, setLift] = useState<Lift>();
  const count = items.length;
  const keys = items.map(({ key }) => key);
  const lifted = lift && keys[lift.from] === lift.key ? lift : undefined;
  const nameOf = (key: string) => items.find((item) => item.key === key)?.name ?? '';
  const say = (text: string, { key, to }: Lift) =>
    announce(worded(text, { name: nameOf(key), place: to + 1, count }));

  const drop = (now: Lift) => {
    setLift(undefined);
    say(labels.dropped, now);
    if (now.to !== now.from) onMove(now.key, now.from, now.to);
  };
  const cancel = (now: Lift) => {
    setLift(undefined);
    say(labels.putBack, now);
  };
  const shift = (now: Lift, to: number) => {
    const next = { ...now, to: Math.min(Math.max(to, 0), count - 1) };
    setLift(next);
    say(labels.movedTo, next);
  };

  const onKeyDown = (event: KeyboardEvent, key: string) => {
    const { key: pressed } = event;
    const now = lifted?.key === key && lifted.by === undefined ? lifted : undefined;
    if (pressed === ' ' || pressed === 'Enter') {
      event.preventDefault();
      if (now) return drop(now);
      const from = keys.indexOf(key);
      const next = { key, from, to: from };
      setLift(next);
      return say(labels.lifted, next);
    }
    if (!now) return;
    const steps: Readonly<Record<string, number>> = {
      ArrowUp: now.to - 1,
      ArrowLeft: now.to - 1,
      ArrowDown: now.to + 1,
      ArrowRight: now.to + 1,
      Home: 0,
      End: count - 1,
    };
    const to = steps[pressed];
    if (to === undefined && pressed !== 'Escape') return;
    // Keeps a surrounding dialog open, and the page from scrolling.
    event.preventDefault();
    event.stopPropagation();
    if (to === undefined) cancel(now);
    else shift(now, to);
  };

  const drag = useDrag({ keys, elementOf, setLift, drop, cancel });
  const order = lifted && lifted.by === undefined ? moved(keys, lifted.from, lifted.to) : keys;
  const ways = lifted?.boxes === undefined ? [] : givingWay(lifted.boxes, lifted.from, lifted.to);
  return {
    order,
    lifted,
    shiftOf: (key) => (lifted?.key === key ? (lifted.by ?? 0) : (ways[keys.indexOf(key)] ?? 0)),
    onKeyDown,
    onBlur: (key) => {
      if (lifted?.key === key && lifted.by === undefined) drop(lifted);
    },
    onPointerDown: drag,
  };
}

type Dragging = {
  keys: readonly string[];
  elementOf: Around['elementOf'];
  setLift: (lift: Lift | undefined) => void;
  drop: (lift: Lift) => void;
  cancel: (lift: Lift) => void;
};

/** An item's box in its list, ignoring a running transition. */
const boxOf = (element: HTMLElement | undefined): Box => ({
  left: element?.offsetLeft ?? 0,
  top: element?.offsetTop ?? 0,
  width: element?.offsetWidth ?? 0,
  height: element?.offsetHeight ?? 0,
});

function useDrag({ keys, elementOf, ...rest }: Dragging) {
  const newest = useRef(rest);
  newest.current = rest;
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);
  return ({ button, clientY, pointerId }: ReactPointerEvent<HTMLElement>, key: string) => {
    if (button !== 0 || keys.length < 2) return;
    stop.current?.();
    const from = keys.indexOf(key);
    const start = clientY + window.scrollY;
    const boxes = keys.map((one) => boxOf(elementOf(one)));
    let now: Lift | undefined;
    const move = (event: PointerEvent) => {
      if (event.pointerId !== pointerId) return;
      const by = event.clientY + window.scrollY - start;
      if (!now && Math.abs(by) <= DRAG_PX) return;
      now = { key, from, to: landing(boxes, from, by), by, boxes };
      newest.current.setLift(now);
    };
    const end = (event: PointerEvent) => {
      if (event.pointerId === pointerId) finish(event.type === 'pointerup');
    };
    const escape = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || !now) return;
      event.preventDefault();
      event.stopPropagation();
      finish(false);
    };
    const finish = (dropped: boolean) => {
      stop.current?.();
      if (now) newest.current[dropped ? 'drop' : 'cancel'](now);
    };
    const listen = (how: 'addEventListener' | 'removeEventListener') => {
      document[how]('pointermove', move as EventListener);
      document[how]('pointerup', end as EventListener);
      document[how]('pointercancel', end as EventListener);
      document[how]('keydown', escape as EventListener, true);
    };
    stop.current = () => {
      listen('removeEventListener');
      stop.current = undefined;
    };
    listen('addEventListener');
  };
}

type HandleProps = {
  item: Named;
  reorder: Reorder;
  labels: UploadLabels;
  /** The id of the usage description. */
  helpId: string;
  disabled: boolean;
};

export function ReorderHandle({ item, reorder, labels, helpId, disabled }: HandleProps) {
  const button = useRef<HTMLButtonElement>(null);
  const isLifted = reorder.lifted?.key === item.key && reorder.lifted.by === undefined;
  const place = reorder.order.indexOf(item.key);
  // Moving an element in the DOM loses its focus.
  const wasLifted = useRef(false);
  useEffect(() => {
    if (isLifted || wasLifted.current) button.current?.focus();
    wasLifted.current = isLifted;
  }, [isLifted, place]);
  return (
    <button
      ref={button}
      type="button"
      className={classes('place-center faint size-36 rounded hover-ink', styles['handle'])}
      aria-label={worded(labels.handle, { name: item.name })}
      aria-describedby={helpId}
      aria-pressed={isLifted}
      disabled={disabled}
      onKeyDown={(event) => reorder.onKeyDown(event, item.key)}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget !== null) reorder.onBlur(item.key);
      }}
      onPointerDown={(event) => {
        event.stopPropagation();
        reorder.onPointerDown(event, item.key);
      }}
    >
      <GripVertical size={18} />
    </button>
  );
}
