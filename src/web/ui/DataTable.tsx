import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import type { CSSProperties, KeyboardEvent, MouseEvent, ReactNode } from 'react';
import styles from '#web/ui/DataTable.module.css';
import { Pagination } from '#web/ui/Pagination.tsx';
import { classes } from '#web/ui/rules/classes.ts';
import { COLUMN_MIN_PX, COLUMN_PX } from '#web/ui/rules/columns.ts';
import { firstPage, type PagingType } from '#web/ui/rules/paging.ts';
import { ariaSort, nextSort, type Sort } from '#web/ui/rules/sort.ts';
import { Select } from '#web/ui/Select.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useColumnWidths, type Separator } from '#web/ui/useColumnWidths.ts';

export type Column<Row> = {
  /** The column's id; also `sort_by` when it can be sorted. */
  id: string;
  title: string;
  cell: (row: Row) => ReactNode;
  sortable?: boolean;
  /** Numbers and money stand at the end. */
  align?: 'start' | 'end';
  /** In px, 150 when left out; the columns share what is over in this proportion. */
  width?: number;
  /**
   * Its place in the two-line row of phones: first line start (`title`) or end (`aside`), second
   * line start (`line`, when left out) or end (`note`), or `hidden`.
   */
  phone?: 'title' | 'aside' | 'line' | 'note' | 'hidden';
};

/** Where a list stands: what its address says. Page counts from 0 for `default`, else from 1. */
export type TableView = { page: number; sort?: Sort | null | undefined };

type Props<Row> = {
  /** Names the table for screen readers. */
  caption: string;
  /** How the list is paged on the wire; decides whether pages count from 0 or 1. */
  type?: PagingType;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  view: TableView;
  /** A page was chosen, or a column sorted (which also goes back to the first page). */
  onView: (view: TableView) => void;
  /** Pages in all; `undefined` when unknown (then `hasMore` says whether there is a next one). */
  totalPages: number | undefined;
  hasMore?: boolean;
  /** Nothing has come yet: shows skeleton rows. */
  loading?: boolean;
  /** Something newer is on its way; the old rows stay. */
  busy?: boolean;
  /** Under 'Data tidak ditemukan': why, or the button that starts it. */
  empty?: ReactNode;
  /** Opens a row: a click anywhere on it, or Enter on its first cell; j and k walk the rows. */
  onOpen?: (row: Row) => void;
  /** The row whose details are open. */
  openKey?: string | undefined;
  /** A last cell for a row's own menu. */
  menu?: (row: Row) => ReactNode;
};

const SKELETON_ROWS = 10;
const MENU_PX = 56;
/** Columns give way to a narrow place down to this part of their widths; then the table scrolls. */
const LEAST_SHARE = 0.68;

const share = (width = 0, total = 1): string => `${((width / total) * 100).toFixed(3)}%`;

/**
 * The house table: sorted and paged by the server, kept in the address by the page. In a container
 * under 640 px each row becomes two lines, so a phone never scrolls sideways.
 */
export function DataTable<Row>(props: Props<Row>) {
  const { caption, type = 'default', columns, rows, view, onView, menu, onOpen } = props;
  const { totalPages, hasMore = false, loading = false, busy = false } = props;
  const first = firstPage(type);
  const asked = columns.map((column) => column.width ?? COLUMN_PX);
  const { widths, head, separators } = useColumnWidths(menu ? [...asked, MENU_PX] : asked);
  const total = widths.reduce((sum, width) => sum + width, 0);
  const span = columns.length + (menu ? 1 : 0);
  const waiting = loading && rows.length === 0;
  return (
    <div className={styles['place']}>
      <PhoneSort
        columns={columns}
        sort={view.sort}
        onSort={(sort) => onView({ page: first, sort })}
      />
      <div className={styles['scroll']}>
        <table
          role="table"
          className={classes(styles['table'], busy && styles['stale'])}
          aria-busy={busy || loading || undefined}
          style={{ '--least': `${Math.round(total * LEAST_SHARE)}px` } as CSSProperties}
        >
          <caption className="sr-only">{caption}</caption>
          <colgroup>
            {columns.map((column, index) => (
              <col key={column.id} style={{ width: share(widths[index], total) }} />
            ))}
            {menu && <col style={{ width: share(widths.at(-1), total) }} />}
          </colgroup>
          <thead role="rowgroup">
            <tr role="row" ref={head}>
              {columns.map((column, index) => (
                <Header
                  key={column.id}
                  column={column}
                  sort={view.sort}
                  onSort={(sort) => onView({ page: first, sort })}
                  separator={index < columns.length - 1 ? separators[index] : undefined}
                />
              ))}
              {menu && (
                <th role="columnheader" scope="col">
                  <span className="sr-only">Tindakan</span>
                </th>
              )}
            </tr>
          </thead>
          {/* The keys of the buttons inside, heard here once. */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
          <tbody role="rowgroup" onKeyDown={onOpen && walk}>
            {waiting && <Bones columns={columns} span={span} />}
            {!waiting &&
              rows.map((row) => <Line key={props.rowKey(row)} row={row} table={props} />)}
            {!waiting && rows.length === 0 && <Nothing span={span}>{props.empty}</Nothing>}
          </tbody>
        </table>
      </div>
      <Pagination
        page={view.page - first + 1}
        total={totalPages}
        hasMore={hasMore}
        onPage={(page) => onView({ page: page - 1 + first, sort: view.sort })}
      />
    </div>
  );
}

const Nothing = ({ span, children }: { span: number; children: ReactNode }) => (
  <tr role="row" className={styles['nothing']}>
    <td role="cell" colSpan={span}>
      <p className={styles['empty']}>Data tidak ditemukan</p>
      {children}
    </td>
  </tr>
);

type PhoneSortProps<Row> = {
  columns: readonly Column<Row>[];
  sort: Sort | null | undefined;
  onSort: (sort: Sort) => void;
};

/** Where rows are two lines there are no headers to press: the same choices as a list. */
function PhoneSort<Row>({ columns, sort, onSort }: PhoneSortProps<Row>) {
  const sortable = columns.filter((column) => column.sortable);
  if (sortable.length === 0) return null;
  const options = sortable.flatMap(({ id, title }) => [
    { value: `asc ${id}`, label: `${title}, naik` },
    { value: `desc ${id}`, label: `${title}, turun` },
  ]);
  return (
    <div className={styles['phoneSort']}>
      <Select
        label="Urutkan"
        hideLabel
        size="sm"
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
        <button type="button" className={styles['sort']} onClick={() => onSort(nextSort(sort, id))}>
          {title}
          <Arrow size={14} aria-hidden="true" />
        </button>
      )}
      {/* In two-line rows the button is gone; the column still has its name. */}
      <span className={classes(sortable && styles['name'])}>{title}</span>
      {separator && (
        <span
          role="separator"
          aria-orientation="vertical"
          aria-label={`Lebar kolom ${title}`}
          aria-valuemin={COLUMN_MIN_PX}
          tabIndex={0}
          className={styles['separator']}
          {...separator}
        />
      )}
    </th>
  );
}

function Line<Row>({ row, table }: { row: Row; table: Props<Row> }) {
  const { columns, rowKey, onOpen, openKey, menu } = table;
  const key = rowKey(row);
  const click = (event: MouseEvent<HTMLTableRowElement>) => {
    const target = event.target as Element;
    const own = target.closest('a, button, input, label, select, textarea, [role^="menu"]');
    const selecting = window.getSelection()?.isCollapsed === false;
    if (!own && !selecting) onOpen?.(row);
  };
  return (
    <tr
      role="row"
      className={classes(styles['row'], onOpen && styles['opens'])}
      data-open={key === openKey || undefined}
      onClick={onOpen && click}
    >
      {columns.map((column, index) => (
        <td
          key={column.id}
          role="cell"
          data-align={column.align}
          data-phone={column.phone ?? (index === 0 ? 'title' : 'line')}
        >
          {onOpen && index === 0 ? (
            <button
              type="button"
              className={styles['open']}
              data-row-open=""
              onClick={() => onOpen(row)}
            >
              {column.cell(row)}
            </button>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
      {menu && (
        <td role="cell" data-phone="menu" className={styles['menu']}>
          {menu(row)}
        </td>
      )}
    </tr>
  );
}

function Bones<Row>({ columns, span }: { columns: readonly Column<Row>[]; span: number }) {
  return Array.from({ length: SKELETON_ROWS }, (_, line) => (
    <tr key={line} role="row" className={styles['row']} aria-hidden="true">
      {columns.map((column, index) => (
        <td
          key={column.id}
          data-align={column.align}
          data-phone={column.phone ?? (index === 0 ? 'title' : 'line')}
        >
          <Skeleton width={`${56 + ((line * 37 + index * 53) % 34)}%`} />
        </td>
      ))}
      {span > columns.length && <td data-phone="menu">&nbsp;</td>}
    </tr>
  ));
}

/** j, k and the arrows walk the rows while one of them has the focus. */
function walk(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const steps: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
  const step = steps[event.key];
  const target = event.target as HTMLElement;
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!('rowOpen' in target.dataset)) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-open]')];
  const next = all[all.indexOf(target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
