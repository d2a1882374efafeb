import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
} from 'react';
import { COLUMN_MIN_PX, tradeWidth, widest } from '#web/ui/rules/columns.ts';

const KEY_STEP_PX = 10;

/** What the line behind a column needs to be moved by pointer and by keys. */
export type Separator = {
  'aria-valuemin': number;
  'aria-valuemax': number;
  'aria-valuenow': number;
  'aria-valuetext': string;
  onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  onPointerUp: (event: PointerEvent<HTMLElement>) => void;
  onPointerCancel: (event: PointerEvent<HTMLElement>) => void;
  onDoubleClick: () => void;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
};

type ColumnWidths = {
  widths: readonly number[];
  /** Put on the header row: its cells are measured. */
  head: RefObject<HTMLTableRowElement | null>;
  separators: readonly Separator[];
};

const measure = (row: HTMLTableRowElement): readonly number[] =>
  [...row.cells].map((cell) => cell.getBoundingClientRect().width);

/**
 * The widths of the header's cells as they are: the columns share what is over, so what is on the
 * screen differs from what was asked for.
 */
function useSeenWidths(head: RefObject<HTMLTableRowElement | null>, count: number) {
  const [seen, setSeen] = useState<readonly number[]>();
  useEffect(() => {
    const row = head.current;
    if (!row) return;
    const observer = new ResizeObserver(() => setSeen(measure(row)));
    for (const cell of row.cells) observer.observe(cell);
    return () => observer.disconnect();
  }, [head, count]);
  return seen?.length === count ? seen : undefined;
}

/**
 * The widths of a table's columns (px), and the separators that change them: arrows by 10 px, Home
 * to the minimum, End (and a double click) to the column's own width.
 */
export function useColumnWidths(given: readonly number[]): ColumnWidths {
  const [chosen, setChosen] = useState<readonly number[]>();
  const head = useRef<HTMLTableRowElement>(null);
  const drag = useRef<{ x: number; from: readonly number[] }>(undefined);
  const widths = chosen?.length === given.length ? chosen : given;
  const seen = useSeenWidths(head, given.length) ?? widths;

  const onScreen = () => (head.current ? measure(head.current) : widths);
  const separators = given.map((own, index): Separator => {
    const end = () => {
      drag.current = undefined;
    };
    const become = (px: (now: number) => number) => {
      const from = onScreen();
      const now = from[index] ?? own;
      setChosen(tradeWidth(from, index, px(now) - now));
    };
    const keys: Readonly<Record<string, (now: number) => number>> = {
      ArrowLeft: (now) => now - KEY_STEP_PX,
      ArrowRight: (now) => now + KEY_STEP_PX,
      Home: () => COLUMN_MIN_PX,
      End: () => own,
    };
    const now = Math.round(seen[index] ?? own);
    return {
      'aria-valuemin': COLUMN_MIN_PX,
      'aria-valuemax': Math.max(now, Math.round(widest(seen, index))),
      'aria-valuenow': now,
      'aria-valuetext': `${now} piksel`,
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: event.clientX, from: onScreen() };
      },
      onPointerMove: (event) => {
        const { current } = drag;
        if (current) setChosen(tradeWidth(current.from, index, event.clientX - current.x));
      },
      onPointerUp: end,
      onPointerCancel: end,
      onDoubleClick: () => become(() => own),
      onKeyDown: (event) => {
        const key = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
        if (!key) return;
        event.preventDefault();
        become(key);
      },
    };
  });
  return { widths, head, separators };
}
