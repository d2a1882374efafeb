import { Fragment, memo, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import type { Column, Picking, TableProps } from '#web/ui/table/tableProps.ts';
import styles from '#web/ui/table/table.module.css';
import { classes } from '#web/ui/classes.ts';
import { toggled } from '#web/ui/table/selection.ts';
import { singleKeys } from '#web/browser/singleKeys.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import skeletons from '#web/ui/skeleton/Skeleton.module.css';

const SKELETON_ROWS = 10;

type Props<Row> = {
  table: TableProps<Row>;
  waiting: boolean;
  picking: Picking;
};

export function TableBody<Row>({ table, waiting, picking }: Props<Row>) {
  const { columns, rows, rowKey, onOpen, menu, selection, empty } = table;
  const span = columns.length + (menu ? 1 : 0) + (selection ? 1 : 0);
  return (
    // Handles the keys of all buttons and checkboxes inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <tbody
      role="rowgroup"
      className={waiting ? skeletons['together'] : undefined}
      onKeyDown={onOpen || selection ? walk : undefined}
    >
      {waiting && <LoadingRows table={table} />}
      {!waiting &&
        rows.map((row, index) => (
          <Fragment key={rowKey(row)}>
            <GroupHead row={row} before={rows[index - 1]} group={table.group} span={span} />
            <Line row={row} table={table} picking={picking} />
            <Detail span={span}>{table.detail?.(row)}</Detail>
          </Fragment>
        ))}
      {!waiting && rows.length === 0 && <EmptyRow span={span}>{empty}</EmptyRow>}
    </tbody>
  );
}

type GroupProps<Row> = {
  row: Row;
  before: Row | undefined;
  group: ((row: Row) => string) | undefined;
  span: number;
};

function GroupHead<Row>({ row, before, group, span }: GroupProps<Row>) {
  const words = group?.(row);
  if (!group || (before !== undefined && group(before) === words)) return null;
  return (
    <tr role="row" className={styles['group']}>
      <th role="rowheader" scope="rowgroup" colSpan={span}>
        {words}
      </th>
    </tr>
  );
}

const Detail = ({ span, children }: { span: number; children: ReactNode }) =>
  children && (
    <tr role="row" className={styles['detail']}>
      <td role="cell" colSpan={span}>
        {children}
      </td>
    </tr>
  );

const EmptyRow = ({ span, children }: { span: number; children: ReactNode }) => (
  <tr role="row" className={styles['nothing']}>
    <td role="cell" colSpan={span}>
      <div
        className={classes('grid justify-items-center gap-8 mx-auto text-center', styles['none'])}
      >
        {children}
        <p className={styles['empty']}>Data tidak ditemukan</p>
      </div>
    </td>
  </tr>
);

const phonePlace = <Row,>(column: Column<Row>, index: number) =>
  column.phone ?? (index === 0 ? 'title' : 'line');

type LineProps<Row> = { row: Row; table: TableProps<Row>; picking: Picking };

function Line<Row>({ row, table, picking }: LineProps<Row>) {
  const { columns, rowKey, openKey, menu, selection } = table;
  const key = rowKey(row);
  const isSelected = selection?.chosen.has(key) ?? false;
  const open = () =>
    picking.on && selection
      ? selection.onChoose(toggled(selection.chosen, key))
      : table.onOpen?.(row);
  const onOpen = table.onOpen && open;
  const click = (event: MouseEvent<HTMLTableRowElement>) => {
    const target = event.target as Element;
    const own = target.closest('a, button, input, label, select, textarea, [role^="menu"]');
    const selecting = window.getSelection()?.isCollapsed === false;
    // A menu or dialog above the row bubbles through it in React, but is not inside it in the DOM.
    const inside = event.currentTarget.contains(target);
    if (!own && !selecting && inside) onOpen?.();
  };
  return (
    <tr
      role="row"
      className={classes(styles['row'], onOpen && classes('pointer', styles['opens']))}
      data-open={key === openKey || undefined}
      data-chosen={isSelected || undefined}
      onClick={onOpen && click}
      {...(!onOpen && readOnly)}
    >
      {selection && (
        <selection.pieces.Choose row={row} table={table} selection={selection} picking={picking} />
      )}
      {columns.map((column, index) => (
        <td
          key={column.id}
          role="cell"
          data-align={column.align}
          data-whole={column.whole}
          data-phone={phonePlace(column, index)}
        >
          {column.phone === 'fact' ? (
            <Fact column={column} row={row} />
          ) : onOpen && index === 0 ? (
            <button
              type="button"
              className={classes(
                'block max-w-full py-4 px-6 rounded-sm clip ring-inset',
                styles['open'],
              )}
              data-row="open"
              onClick={onOpen}
            >
              <Cell column={column} row={row} />
            </button>
          ) : (
            <Cell column={column} row={row} />
          )}
        </td>
      ))}
      {menu && (
        <td role="cell" data-phone="menu" className="text-end">
          {menu(row)}
        </td>
      )}
    </tr>
  );
}

/** Enter on a row that j or k has reached: unfolds its details or opens its menu, if it has any. */
function unfold({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): void {
  if (key !== 'Enter' || target !== currentTarget) return;
  currentTarget.querySelector<HTMLElement>('[aria-expanded]')?.click();
}

/** A row without details: it takes the focus itself, for j and k. */
const readOnly = { tabIndex: -1, 'data-row': 'line', onKeyDown: unfold };

/** Renders again only for another row or column: most of a table's cost is here. */
const Cell = memo(function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  return column.cell(row);
}) as <Row>(props: { column: Column<Row>; row: Row }) => ReactNode;

/** In a card the title precedes the value; otherwise the column's header names it. */
const Fact = <Row,>(props: { column: Column<Row>; row: Row }) => (
  <>
    <span className={styles['label']} aria-hidden="true">
      {props.column.title}
    </span>
    <span className={styles['value']}>
      <Cell {...props} />
    </span>
  </>
);

function LoadingRows<Row>({ table: { columns, menu, selection } }: { table: TableProps<Row> }) {
  return Array.from({ length: SKELETON_ROWS }, (_, line) => (
    <tr key={line} role="row" className={styles['row']} aria-hidden="true">
      {selection && <td data-phone="choose">&nbsp;</td>}
      {columns.map((column, index) => (
        <td key={column.id} data-align={column.align} data-phone={phonePlace(column, index)}>
          <Skeleton width={`${56 + ((line * 37 + index * 53) % 34)}%`} />
        </td>
      ))}
      {menu && <td data-phone="menu">&nbsp;</td>}
    </tr>
  ));
}

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/**
 * While a row's button or checkbox has the focus: j, k and the arrows move to the same control of the next row, x
 * selects the row, and Enter opens it.
 */
function walk(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const target = event.target as HTMLElement;
  const kind = target.dataset['row'];
  if (kind === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key.length === 1 && !singleKeys()) return;
  const step = Object.hasOwn(steps, event.key) ? (steps[event.key] ?? 0) : 0;
  if (step !== 0) {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>(`[data-row="${kind}"]`)];
    const next = all[all.indexOf(target) + step];
    event.preventDefault();
    next?.focus();
    return;
  }
  const press = (what: string) => {
    event.preventDefault();
    target.closest('tr')?.querySelector<HTMLElement>(`[data-row="${what}"]`)?.click();
  };
  if (event.key === 'x') press('choose');
  if (event.key === 'Enter' && kind === 'choose') press('open');
}
