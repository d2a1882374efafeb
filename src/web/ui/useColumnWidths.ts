import { useRef, useState, type KeyboardEvent, type PointerEvent, type RefObject } from 'react';
import { tradeWidth } from '#web/ui/rules/columns.ts';

const KEY_STEP_PX = 10;

/** What the line behind a column needs to be moved by pointer and by arrow keys. */
export type Separator = {
  'aria-valuenow': number;
  onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  onPointerUp: (event: PointerEvent<HTMLElement>) => void;
  onPointerCancel: (event: PointerEvent<HTMLElement>) => void;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
};

type ColumnWidths = {
  widths: readonly number[];
  /** Put on the header row: its cells are measured when a line is first moved. */
  head: RefObject<HTMLTableRowElement | null>;
  separators: readonly Separator[];
};

/** The widths of a table's columns (px), and the separators that change them. */
export function useColumnWidths(given: readonly number[]): ColumnWidths {
  const [chosen, setChosen] = useState<readonly number[]>();
  const head = useRef<HTMLTableRowElement>(null);
  const drag = useRef<{ x: number; from: readonly number[] }>(undefined);
  const widths = chosen?.length === given.length ? chosen : given;

  // The columns share what is over, so what is on the screen differs from what was asked for.
  const onScreen = (): readonly number[] => {
    const cells = [...(head.current?.cells ?? [])].slice(0, given.length);
    return cells.map((cell) => cell.getBoundingClientRect().width);
  };
  const separators = given.map((_, index): Separator => {
    const end = () => {
      drag.current = undefined;
    };
    return {
      'aria-valuenow': Math.round(widths[index] ?? 0),
      onPointerDown: (event) => {
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
      onKeyDown: (event) => {
        const step = { ArrowLeft: -KEY_STEP_PX, ArrowRight: KEY_STEP_PX }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        setChosen(tradeWidth(onScreen(), index, step));
      },
    };
  });
  return { widths, head, separators };
}
