import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import type { RefObject } from 'react';
import type { Column, TableProps } from '#web/ui/table/tableProps.ts';
import { ColumnSeparator } from '#web/ui/table/ColumnSeparator.tsx';
import styles from '#web/ui/table/table.module.css';
import { classes } from '#web/ui/classes.ts';
import { ariaSort, nextSort, type Sort } from '#web/ui/table/sort.ts';
import type { Separator } from '#web/ui/table/useColumnWidths.ts';

type Props<Row> = {
  table: TableProps<Row>;
  head: RefObject<HTMLTableRowElement | null>;
  /** One per cell of the row, including checkbox and menu. */
  separators: readonly Separator[];
  onSort: (sort: Sort) => void;
};

/** The header row: sortable columns are buttons, and each column is followed by its separator. */
export function TableHead<Row>({ table, head, separators, onSort }: Props<Row>) {
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
