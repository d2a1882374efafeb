import { useDeferredValue, useEffect, useMemo, useRef, useState, type CSSProperties } from 'react';
import styles from '#web/ui/table/table.module.css';
import { useDensity } from '#web/ui/table/density.ts';
import { Pagination } from '#web/ui/pagination/Pagination.tsx';
import { classes } from '#web/ui/classes.ts';
import { COLUMN_PX } from '#web/ui/table/columns.ts';
import { firstPage, pageInstead } from '#web/ui/pagination/paging.ts';
import type { Sort } from '#web/ui/table/sort.ts';
import type { TableProps } from '#web/ui/table/tableProps.ts';
import { TableBody } from '#web/ui/table/TableBody.tsx';
import { TableHead } from '#web/ui/table/TableHead.tsx';
import { DensityButton, PhoneSort } from '#web/ui/table/TableTools.tsx';
import { useColumnWidths } from '#web/ui/table/useColumnWidths.ts';

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

const place = classes('grid gap-16 min-w-0', styles['place']);

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
