import { ListChecks } from 'lucide-react';
import { Button } from '#web/ui/button/Button.tsx';
import type { Picking, Selection, TableProps, SelectionParts } from '#web/ui/table/tableProps.ts';
import { useEffect, useRef, type ChangeEvent } from 'react';
import { allToggled, selectionState, rangeToggled, toggled } from '#web/ui/table/selection.ts';
import styles from '#web/ui/table/table.module.css';
import boxes from '#web/ui/form/form.module.css';
import { classes } from '#web/ui/classes.ts';

type Props<Row> = { table: TableProps<Row>; selection: Selection<Row>; picking: Picking };

/** Shows the checkboxes of cards. */
export function PickButton<Row>({ table, picking }: Omit<Props<Row>, 'selection'>) {
  if (table.rows.length === 0 && !table.loading && !picking.on) return null;
  return (
    <div className={styles['pick']}>
      <Button
        variant="outline"
        size="sm"
        icon={<ListChecks size={16} />}
        aria-pressed={picking.on}
        aria-label={`Pilih baris, ${table.caption}`}
        disabled={table.rows.length === 0 && !picking.on}
        onClick={() => picking.set(!picking.on)}
      >
        Pilih
      </Button>
    </div>
  );
}

/**
 * The number of selected rows and their actions: last in the table, and at the bottom of the window while the table is
 * longer, so that nothing shifts when it appears.
 */
export function SelectionBar<Row>({ table, selection, picking }: Props<Row>) {
  const count = selection.chosen.size;
  const stop = () => {
    selection.onChoose(new Set());
    picking.set(false);
  };
  return (
    <>
      <p className="sr-only" role="status">
        {count === 0 ? '' : `${count} baris dipilih`}
      </p>
      {(count > 0 || picking.on) && (
        <div
          className={classes('row wrap gap-8 gap-x-12 max-w-full card shadow', styles['bar'])}
          role="group"
          aria-label={`Baris terpilih, ${table.caption}`}
        >
          <div className={styles['phoneAll']}>
            <ChooseAll table={table} selection={selection} />
          </div>
          <p className={classes('small muted strong num nowrap', styles['count'])}>
            {count === 0 ? 'Ketuk baris untuk memilih' : `${count} dipilih`}
          </p>
          {count > 0 && (
            <div className={classes('flex wrap gap-8', styles['actions'])}>{selection.actions}</div>
          )}
          <Button variant="link" tone="neutral" size="sm" onClick={stop}>
            {count === 0 ? 'Selesai' : 'Kosongkan pilihan'}
          </Button>
        </div>
      )}
    </>
  );
}

/** The components for a table with a `selection`. */
export const selectionParts: SelectionParts = { Choose, ChooseAll, SelectionBar, PickButton };

type ChooseProps<Row> = {
  row: Row;
  table: TableProps<Row>;
  selection: Selection<Row>;
  picking: Picking;
};

/** The last toggled row of each table, the start of a range with Shift. */
const anchors = new WeakMap<Element, string>();

/** The checkbox of a row. A long press on the row starts selecting. */
function Choose<Row>({ row, table: { rows, rowKey }, selection, picking }: ChooseProps<Row>) {
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
      <label className={classes('place-center size-28 pointer', styles['tick'])}>
        <input
          type="checkbox"
          className={classes('place-center flex-none surface pointer', boxes['box'])}
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
function ChooseAll<Row>({
  table: { rows, rowKey },
  selection,
}: Pick<ChooseProps<Row>, 'table' | 'selection'>) {
  const box = useRef<HTMLInputElement>(null);
  const keys = rows.map(rowKey);
  const state = selectionState(selection.chosen, keys);
  useEffect(() => {
    if (box.current) box.current.indeterminate = state === 'some';
  }, [state]);
  return (
    <label className={classes('place-center size-28 pointer', styles['tick'])}>
      <input
        ref={box}
        type="checkbox"
        className={classes('place-center flex-none surface pointer', boxes['box'])}
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
