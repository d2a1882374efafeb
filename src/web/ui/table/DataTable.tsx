import {
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type RefObject,
  Fragment,
  memo,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type PointerEvent,
} from 'react';
import { Pagination } from '#web/ui/pagination/Pagination.tsx';
import { classes } from '#web/ui/classes.ts';
import { COLUMN_PX, COLUMN_MIN_PX, fillRow, tradeWidth, widest } from '#web/ui/table/columns.ts';
import { firstPage, pageInstead } from '#web/ui/pagination/paging.ts';
import { type Sort, ariaSort, nextSort } from '#web/ui/table/sort.ts';
import type { TableProps, Column, Picking } from '#web/ui/table/tableProps.ts';
import { ArrowDown, ArrowUp, ArrowUpDown, Rows3, Rows4 } from 'lucide-react';
import { toggled } from '#web/ui/table/selection.ts';
import { singleKeys } from '#web/browser/singleKeys.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import styles from '#web/ui/table/table.module.css';
import skeletons from '#web/ui/skeleton/Skeleton.module.css';
import { createStore, useStore } from '#web/browser/store.ts';

const MENU_PX = 56;
const CHOOSE_PX = 48;
/** Columns shrink to at least this share of their widths in narrow containers, except `whole` ones. */
const LEAST_SHARE = 0.68;

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);
const shares = (widths: readonly number[]): readonly string[] =>
  widths.map((width) => `${((width / sumOf(widths)) * 100).toFixed(4)}%`);

/** The requested widths of the columns, and those in a narrow container; below these the table scrolls. */
function widthsOf<Row>({ columns, selection, menu, menuWidth = MENU_PX }: TableProps<Row>) {
  const own = (least: number) => [
    ...(selection ? [CHOOSE_PX] : []),
    ...columns.map(({ width = COLUMN_PX, whole }) => width * (whole ? 1 : least)),
    ...(menu ? [menuWidth] : []),
  ];
  return { asked: own(1), tight: own(LEAST_SHARE) };
}

/** The columns, without those that no row fills. */
function useFilledColumns<Row>({ columns, rows }: TableProps<Row>): TableProps<Row>['columns'] {
  const isEmpty = ({ fills }: (typeof columns)[number]) => fills && !rows.some(fills);
  const empty = rows.length === 0 ? [] : columns.filter(isEmpty).map(({ id }) => id);
  const names = empty.join(' ');
  return useMemo(
    () => columns.filter(({ id }) => !names.split(' ').includes(id)),
    [columns, names],
  );
}

const place = classes('grid gap-16 min-w-0 container', styles['place']);

/**
 * The table of all lists: sorted and paged by the server, with its state in the address. In a container under 680 px
 * each row becomes a card, so a phone, or a page at 200 %, never scrolls sideways.
 */
export function DataTable<Row>(given: TableProps<Row>) {
  const props = { ...given, columns: useFilledColumns(given) };
  const { caption, type = 'default', columns, rows, view, onView, selection } = props;
  const { totalPages, hasMore = false, loading = false, busy = false } = props;
  const first = firstPage(type);
  const density = useDensity();
  const [isPicking, setPicking] = useState(false);
  const picking = { on: isPicking, set: setPicking };
  const { asked, tight } = widthsOf(props);
  const { chosen, head, separators } = useColumnWidths(asked, tight);
  const [wide, narrow] = [shares(chosen ?? asked), shares(chosen ?? tight)];
  const instead = loading || busy ? undefined : pageInstead(type, view.page, totalPages);
  useInstead(instead, (page) => onView({ page, sort: view.sort }, { replace: true }));
  // An empty page beyond the last one is not an empty list: the last page is about to load.
  const coming = loading || ((totalPages ?? 0) > 0 && (busy || instead !== undefined));
  const { drawn, late } = useDrawn(rows);
  const table = useReturnedFocus(props.openKey);
  const sort = (next: Sort) => onView({ page: first, sort: next });
  const turnable = (totalPages ?? 0) > 1 || hasMore || columns.some((one) => one.sortable);
  return (
    <div className={place} data-picking={isPicking || undefined}>
      <div className="column gap-16 min-w-0">
        <div className={classes('card', styles['scroll'])}>
          <table
            ref={table}
            role="table"
            className={classes('w-full base', styles['table'], busy && styles['stale'])}
            data-density={density}
            aria-busy={busy || loading || late || undefined}
            style={{ '--least': `${Math.round(sumOf(tight))}px` } as CSSProperties}
          >
            <caption className="sr-only">{caption}</caption>
            <colgroup>
              {wide.map((share, index) => (
                <col
                  key={index}
                  style={{ '--wide': share, '--narrow': narrow[index] } as CSSProperties}
                />
              ))}
            </colgroup>
            <TableHead table={props} head={head} separators={separators} onSort={sort} />
            <TableBody
              table={{ ...props, rows: drawn }}
              waiting={(coming || late) && drawn.length === 0}
              picking={picking}
            />
          </table>
        </div>
        {selection && (
          <selection.pieces.SelectionBar table={props} selection={selection} picking={picking} />
        )}
      </div>
      <div className={styles['phoneTools']}>
        {selection && <selection.pieces.PickButton table={props} picking={picking} />}
        {(coming || rows.length > 1 || (totalPages ?? 0) > 1) && (
          <PhoneSort caption={caption} columns={columns} sort={view.sort} onSort={sort} />
        )}
      </div>
      <div className="row gap-8">
        <Pagination
          label={props.pagesLabel}
          page={view.page - first + 1}
          total={totalPages}
          hasMore={hasMore}
          onPage={(page) => onView({ page: page - 1 + first, sort: view.sort })}
        />
        {turnable && (rows.length > 0 || coming) && <DensityButton caption={caption} />}
      </div>
    </div>
  );
}

/** Draws rows in slices between which the browser handles input: ten rows at once block a phone for 70 ms. */
function useDrawn<Row>(rows: readonly Row[]): { drawn: readonly Row[]; late: boolean } {
  const drawn = useDeferredValue(rows);
  return { drawn, late: drawn !== rows && (drawn.length > 0 || rows.length > 0) };
}

function useInstead(page: number | undefined, go: (page: number) => void): void {
  const latest = useRef(go);
  useEffect(() => {
    latest.current = go;
  });
  useEffect(() => {
    if (page !== undefined) latest.current(page);
  }, [page]);
}

/** Restores the focus to the row whose details were open, or to the row selected meanwhile. */
function useReturnedFocus(openKey: string | undefined) {
  const table = useRef<HTMLTableElement>(null);
  const opened = useRef<HTMLElement>(null);
  useEffect(() => {
    if (openKey !== undefined) {
      opened.current =
        table.current?.querySelector<HTMLElement>('[data-open] [data-row="open"]') ?? null;
    } else if (document.activeElement?.matches('[data-row="open"]')) {
      opened.current?.focus();
    }
  }, [openKey]);
  return table;
}

type HeadProps<Row> = {
  table: TableProps<Row>;
  head: RefObject<HTMLTableRowElement | null>;
  /** One per cell of the row, including checkbox and menu. */
  separators: readonly Separator[];
  onSort: (sort: Sort) => void;
};

/** The header row: sortable columns are buttons, and each column is followed by its separator. */
function TableHead<Row>({ table, head, separators, onSort }: HeadProps<Row>) {
  const { columns, view, selection, menu } = table;
  const before = selection ? 1 : 0;
  return (
    <thead role="rowgroup">
      <tr role="row" ref={head}>
        {selection && (
          <th role="columnheader" scope="col">
            <span className="sr-only">Pilih</span>
            <selection.pieces.ChooseAll table={table} selection={selection} />
          </th>
        )}
        {columns.map((column, index) => (
          <Header
            key={column.id}
            column={column}
            sort={view.sort}
            onSort={onSort}
            separator={index < columns.length - 1 ? separators[index + before] : undefined}
          />
        ))}
        {menu && (
          <th role="columnheader" scope="col">
            <span className="sr-only">Tindakan</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

type HeaderProps<Row> = {
  column: Column<Row>;
  sort: Sort | null | undefined;
  onSort: (sort: Sort) => void;
  separator: Separator | undefined;
};

function Header<Row>({ column, sort, onSort, separator }: HeaderProps<Row>) {
  const { id, title, sortable, align } = column;
  const direction = ariaSort(sort, id);
  const Arrow = { ascending: ArrowUp, descending: ArrowDown, none: ArrowUpDown }[direction];
  return (
    <th
      role="columnheader"
      scope="col"
      data-align={align}
      aria-sort={sortable ? direction : undefined}
    >
      {sortable && (
        <button
          type="button"
          className={classes(
            'inline-flex align-center gap-4 min-h-28 px-6 rounded-sm',
            styles['sort'],
          )}
          onClick={() => onSort(nextSort(sort, id))}
        >
          {title}
          <Arrow size={14} aria-hidden="true" />
        </button>
      )}
      {/* In cards the button is hidden; the column keeps its name. */}
      <span className={classes(sortable && styles['name'])}>{title}</span>
      {separator && <ColumnSeparator column={title} separator={separator} />}
    </th>
  );
}

type SeparatorProps = { column: string; separator: Separator };

const ColumnSeparator = ({ column, separator }: SeparatorProps) => (
  <span
    role="separator"
    aria-orientation="vertical"
    aria-label={`Lebar kolom ${column}`}
    tabIndex={0}
    className={classes('fine-only no-outline', styles['separator'])}
    {...separator}
  />
);

const SKELETON_ROWS = 10;

type BodyProps<Row> = {
  table: TableProps<Row>;
  waiting: boolean;
  picking: Picking;
};

function TableBody<Row>({ table, waiting, picking }: BodyProps<Row>) {
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
        className={classes(
          'grid justify-items-center gap-8 mx-auto text-center max-w-440',
          styles['none'],
        )}
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

type PhoneSortProps<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  sort: Sort | null | undefined;
  onSort: (sort: Sort) => void;
};

/** The sort options as a list, for cards without headers. */
function PhoneSort<Row>({ caption, columns, sort, onSort }: PhoneSortProps<Row>) {
  const sortable = columns.filter((column) => column.sortable);
  if (sortable.length === 0) return null;
  const options = sortable.flatMap(({ id, title }) => [
    { value: `asc ${id}`, label: `${title}, naik` },
    { value: `desc ${id}`, label: `${title}, turun` },
  ]);
  return (
    <div className={styles['phoneSort']}>
      <Select
        label={`Urutkan ${caption}`}
        hideLabel
        placeholder="Urutkan"
        options={options}
        value={sort ? `${sort.sort_type} ${sort.sort_by}` : ''}
        onChange={({ target }) => {
          const [type, id = ''] = target.value.split(' ');
          onSort({ sort_by: id, sort_type: type === 'desc' ? 'desc' : 'asc' });
        }}
      />
    </div>
  );
}

/** Toggles rows of 36 px instead of 44, for all tables; touch devices always get 44. */
function DensityButton({ caption }: { caption: string }) {
  const compact = useDensity() === 'compact';
  const Icon = compact ? Rows4 : Rows3;
  return (
    <button
      type="button"
      className={classes(
        'place-center flex-none ms-auto faint size-36 rounded hover-ink selectable fine-only',
        styles['density'],
      )}
      aria-label={`Baris rapat, ${caption}`}
      title="Baris rapat"
      aria-pressed={compact}
      onClick={() => setDensity(compact ? 'normal' : 'compact')}
    >
      <Icon size={18} />
    </button>
  );
}

/** The row height of tables: 44 px, or 36. */
type Density = 'normal' | 'compact';

const ENTRY = 'ui-density';

/** The value stored in this browser; `undefined` without storage. */
function stored(): Density | undefined {
  try {
    return localStorage.getItem(ENTRY) === 'compact' ? 'compact' : 'normal';
  } catch {
    return undefined;
  }
}

/** Without storage the choice lasts as long as the tab; another tab may change it. */
const density = createStore<Density>(
  () => stored() ?? 'normal',
  ({ get, set }) => {
    const look = () => set(stored() ?? get());
    look();
    window.addEventListener('storage', look);
    return () => window.removeEventListener('storage', look);
  },
);

/** Sets the density of all tables, stored in this browser. */
function setDensity(next: Density): void {
  try {
    if (next === 'normal') localStorage.removeItem(ENTRY);
    else localStorage.setItem(ENTRY, next);
  } catch {
    // It lasts as long as the tab.
  }
  density.set(next);
}

/** The density of tables, also when another tab changes it. */
const useDensity = (): Density => useStore(density);

const KEY_STEP_PX = 10;

type Separator = {
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
function useColumnWidths(given: readonly number[], tight: readonly number[]): ColumnWidths {
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
