import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
} from 'react';
import { COLUMN_MIN_PX, fillRow, tradeWidth, widest } from '#web/ui/table/columns.ts';

const KEY_STEP_PX = 10;

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

/** From this table width (px, without border) columns have their requested widths; see the stylesheet. */
const WIDE_PX = 998;

type ColumnWidths = {
  chosen: readonly number[] | undefined;
  /** For the header row, whose cells are measured. */
  head: RefObject<HTMLTableRowElement | null>;
  separators: readonly Separator[];
};

/** The measured width of the row (px); `undefined` before. */
function useRowWidth(head: RefObject<HTMLTableRowElement | null>): number | undefined {
  const [px, setPx] = useState<number>();
  useEffect(() => {
    const row = head.current;
    if (!row) return;
    // Uses the observer's size: measuring the row could force another layout.
    const observer = new ResizeObserver(([entry]) => setPx(entry?.borderBoxSize[0]?.inlineSize));
    observer.observe(row);
    return () => observer.disconnect();
  }, [head]);
  return px;
}

const widthOf = (row: HTMLElement): number => row.getBoundingClientRect().width;

/**
 * The widths of a table's columns (px), and the separators that change them: arrows by 10 px, Home to the minimum, End
 * (and a double click) to the column's own width.
 *
 * @param tight replaces `given` in narrow containers.
 */
export function useColumnWidths(given: readonly number[], tight: readonly number[]): ColumnWidths {
  const [held, setChosen] = useState<readonly number[]>();
  const head = useRef<HTMLTableRowElement>(null);
  const drag = useRef<{ x: number; from: readonly number[] }>(undefined);
  const custom = held?.length === given.length ? held : undefined;
  const px = useRowWidth(head);
  const widths = custom ?? ((px ?? WIDE_PX) < WIDE_PX ? tight : given);
  const seen = fillRow(widths, px);

  // From the requested widths, not the cells: a browser may lay those out a frame later, and one of two quick presses
  // would be lost.
  const onScreen = () => fillRow(widths, head.current ? widthOf(head.current) : undefined);
  const separators = given.map((own, index): Separator => {
    const end = () => {
      drag.current = undefined;
    };
    const resize = (px: (now: number) => number) => {
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
      onDoubleClick: () => resize(() => own),
      onKeyDown: (event) => {
        const key = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
        if (!key) return;
        event.preventDefault();
        resize(key);
      },
    };
  });
  return { chosen: custom, head, separators };
}
