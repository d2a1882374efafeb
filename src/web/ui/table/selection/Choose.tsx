import { useEffect, useRef, type ChangeEvent } from 'react';
import boxes from '#web/ui/form/Checkbox.module.css';
import styles from '#web/ui/table/selection/selection.module.css';
import type { Picking, Selection, TableProps } from '#web/ui/table/tableProps.ts';
import { allToggled, selectionState, rangeToggled, toggled } from '#web/ui/table/selection.ts';

type Props<Row> = {
  row: Row;
  table: TableProps<Row>;
  selection: Selection<Row>;
  picking: Picking;
};

/** The last toggled row of each table, the start of a range with Shift. */
const anchors = new WeakMap<Element, string>();

/** The checkbox of a row. A long press on the row starts selecting. */
export function Choose<Row>({ row, table: { rows, rowKey }, selection, picking }: Props<Row>) {
  const key = rowKey(row);
  const cell = useRef<HTMLTableCellElement>(null);
  const turn = ({ nativeEvent, currentTarget }: ChangeEvent) => {
    const place = currentTarget.closest('table');
    const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
    const from = isRange && place ? anchors.get(place) : undefined;
    if (place) anchors.set(place, key);
    selection.onChoose(
      from === undefined
        ? toggled(selection.chosen, key)
        : rangeToggled(selection.chosen, rows.map(rowKey), { from, to: key }),
    );
  };
  const begin = useRef(() => undefined as void);
  useEffect(() => {
    begin.current = () => {
      picking.set(true);
      selection.onChoose(toggled(selection.chosen, key));
    };
  });
  useEffect(() => {
    const line = cell.current?.closest('tr');
    return line ? onLongPress(line, () => begin.current()) : undefined;
  }, []);
  return (
    <td ref={cell} role="cell" data-phone="choose">
      <label className={styles['tick']}>
        <input
          type="checkbox"
          className={boxes['box']}
          data-row="choose"
          aria-label={`Pilih baris ${selection.nameOf(row)}`}
          checked={selection.chosen.has(key)}
          onChange={turn}
        />
      </label>
    </td>
  );
}

/** The checkbox of all shown rows; mixed when some are selected. */
export function ChooseAll<Row>({
  table: { rows, rowKey },
  selection,
}: Pick<Props<Row>, 'table' | 'selection'>) {
  const box = useRef<HTMLInputElement>(null);
  const keys = rows.map(rowKey);
  const state = selectionState(selection.chosen, keys);
  useEffect(() => {
    if (box.current) box.current.indeterminate = state === 'some';
  }, [state]);
  return (
    <label className={styles['tick']}>
      <input
        ref={box}
        type="checkbox"
        className={boxes['box']}
        aria-label="Pilih semua baris di halaman ini"
        disabled={rows.length === 0}
        checked={state === 'all'}
        onChange={() => selection.onChoose(allToggled(selection.chosen, keys))}
      />
    </label>
  );
}

const LONG_PRESS_MS = 500;
/** A finger that moves further scrolls. */
const STILL_PX = 10;

/** Calls back on a long press; suppresses the click at its end. @returns the stop function */
function onLongPress(element: HTMLElement, begin: () => void): () => void {
  let timer: number | undefined;
  let from = { x: 0, y: 0 };
  let isLong = false;
  const listening = new AbortController();
  const end = () => {
    window.clearTimeout(timer);
    timer = undefined;
  };
  const on = <Name extends keyof HTMLElementEventMap>(
    name: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
  ) => element.addEventListener(name, listener, { capture: true, signal: listening.signal });
  on('pointerdown', ({ pointerType, clientX: x, clientY: y }) => {
    end();
    isLong = false;
    if (pointerType !== 'touch') return;
    from = { x, y };
    timer = window.setTimeout(() => {
      isLong = true;
      begin();
    }, LONG_PRESS_MS);
  });
  on('pointermove', ({ clientX, clientY }) => {
    if (Math.hypot(clientX - from.x, clientY - from.y) > STILL_PX) end();
  });
  on('pointerup', end);
  on('pointercancel', end);
  on('contextmenu', (event) => {
    if (isLong) event.preventDefault();
  });
  on('click', (event) => {
    if (!isLong) return;
    isLong = false;
    event.preventDefault();
    event.stopPropagation();
  });
  return () => {
    end();
    listening.abort();
  };
}
