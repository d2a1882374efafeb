import { useEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import styles from '#web/ui/table/DataTable.module.css';
import { useDensity } from '#web/ui/table/density.ts';
import { Pagination } from '#web/ui/pagination/Pagination.tsx';
import { classes } from '#web/ui/classes.ts';
import { COLUMN_PX } from '#web/ui/table/columns.ts';
import { firstPage, pageInstead, type PagingType } from '#web/ui/pagination/paging.ts';
import type { Sort } from '#web/ui/table/sort.ts';
import { TableBody } from '#web/ui/table/TableBody.tsx';
import { TableHead } from '#web/ui/table/TableHead.tsx';
import { ChosenBar, DensityButton, PhoneSort } from '#web/ui/table/TableTools.tsx';
import { useColumnWidths } from '#web/ui/table/useColumnWidths.ts';

export type Column<Row> = {
  /** The column's id; also `sort_by` when it can be sorted. */
  id: string;
  title: string;
  /** What the row says here; drawn again when the row or the column is another one. */
  cell: (row: Row) => ReactNode;
  sortable?: boolean;
  /** Numbers and money stand at the end. */
  align?: 'start' | 'end';
  /** In px, 150 when left out; the columns share what is over in this proportion. */
  width?: number;
  /**
   * Never cut off: money, phone numbers, and what else is wrong when a part of it is missing. The column keeps
   * its width in a narrow place; made narrower by hand, what it says breaks into lines.
   */
  whole?: boolean;
  /**
   * Its place in the card that a row becomes in a narrow place: first line start (`title`) or end (`aside`),
   * second line start (`line`, when left out) or end (`note`), below them with its title (`fact`), or `hidden`.
   */
  phone?: 'title' | 'aside' | 'line' | 'note' | 'fact' | 'hidden';
};

/** Where a list stands: what its address says. Page counts from 0 for `default`, else from 1. */
export type TableView = { page: number; sort?: Sort | null | undefined };

/** Rows that can be chosen, by their keys; those of other pages stay chosen. */
export type Selection<Row> = {
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  /** What a row is called in 'Pilih baris …'. */
  nameOf: (row: Row) => string;
  /** What can be done with the chosen rows. */
  actions?: ReactNode;
};

export type TableProps<Row> = {
  /** Names the table for screen readers. */
  caption: string;
  /** How the list is paged on the wire; decides whether pages count from 0 or 1. */
  type?: PagingType;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  view: TableView;
  /**
   * A page was chosen, or a column sorted (which also goes back to the first page). `replace` when
   * the page asked for no longer exists: an address must not be gone back to.
   */
  onView: (view: TableView, how?: { replace: boolean }) => void;
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
  /** A last cell for a row's own menu; its button is named after the row. */
  menu?: (row: Row) => ReactNode;
  /** What stands under a row, over its whole width; null for nothing. */
  detail?: (row: Row) => ReactNode;
  /** Rows that follow each other with the same words (a day) stand under these words, said once. */
  group?: (row: Row) => string;
  /** Gives each row a checkbox, and x to choose it. */
  selection?: Selection<Row>;
  /** Names the page numbers where a screen has more than one such list. */
  pagesLabel?: string;
};

const MENU_PX = 56;
const CHOOSE_PX = 48;
/** Columns give way to a narrow place down to this part of their widths, but for what is whole. */
const LEAST_SHARE = 0.68;

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);
const shares = (widths: readonly number[]): readonly string[] =>
  widths.map((width) => `${((width / sumOf(widths)) * 100).toFixed(4)}%`);

/** The widths that columns ask for, and those that they have in a narrow place; then the table scrolls. */
function widthsOf<Row>({ columns, selection, menu }: TableProps<Row>) {
  const own = (least: number) => [
    ...(selection ? [CHOOSE_PX] : []),
    ...columns.map(({ width = COLUMN_PX, whole }) => width * (whole ? 1 : least)),
    ...(menu ? [MENU_PX] : []),
  ];
  return { given: own(1), tight: own(LEAST_SHARE) };
}

/**
 * The house table: sorted and paged by the server, kept in the address by the page. In a container
 * under 680 px each row becomes a card, so a phone, or a page at 200 %, never scrolls sideways.
 */
export function DataTable<Row>(props: TableProps<Row>) {
  const { caption, type = 'default', columns, rows, view, onView, selection } = props;
  const { totalPages, hasMore = false, loading = false, busy = false } = props;
  const first = firstPage(type);
  const density = useDensity();
  const { given, tight } = widthsOf(props);
  const { chosen, head, separators } = useColumnWidths(given, tight);
  const [wide, narrow] = [shares(chosen ?? given), shares(chosen ?? tight)];
  const instead = loading || busy ? undefined : pageInstead(type, view.page, totalPages);
  useInstead(instead, (page) => onView({ page, sort: view.sort }, { replace: true }));
  // No rows on a page that does not exist are not 'nothing found': those of the last page come.
  const coming = loading || ((totalPages ?? 0) > 0 && (busy || instead !== undefined));
  const sort = (next: Sort) => onView({ page: first, sort: next });
  const turnable = (totalPages ?? 0) > 1 || hasMore || columns.some((one) => one.sortable);
  return (
    <div className={styles['place']}>
      {(coming || rows.length > 1 || (totalPages ?? 0) > 1) && (
        <PhoneSort caption={caption} columns={columns} sort={view.sort} onSort={sort} />
      )}
      {selection && <ChosenBar caption={caption} table={props} selection={selection} />}
      <div className={styles['scroll']}>
        <table
          role="table"
          className={classes(styles['table'], busy && styles['stale'])}
          data-density={density}
          aria-busy={busy || loading || undefined}
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
          <TableBody table={props} waiting={coming && rows.length === 0} />
        </table>
      </div>
      <div className={styles['foot']}>
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

/** Goes to another page once, when the one that is shown turns out not to exist. */
function useInstead(page: number | undefined, go: (page: number) => void): void {
  const latest = useRef(go);
  useEffect(() => {
    latest.current = go;
  });
  useEffect(() => {
    if (page !== undefined) latest.current(page);
  }, [page]);
}
