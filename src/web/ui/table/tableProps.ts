import type { ReactNode } from 'react';
import type { PagingType } from '#web/ui/pagination/paging.ts';
import type { Sort } from '#web/ui/table/sort.ts';

export type Column<Row> = {
  /** The column's id; also `sort_by` when it can be sorted. */
  id: string;
  title: string;
  /** The content of a cell; renders again when the row or the column changes. */
  cell: (row: Row) => ReactNode;
  /** Whether a row has content in this column, which is left out while no row has. */
  fills?: (row: Row) => boolean;
  sortable?: boolean;
  /** Numbers and money are aligned to the end. */
  align?: 'start' | 'end';
  /** In px, 150 when omitted; the columns share extra room in this proportion. */
  width?: number;
  /**
   * Never truncated: money, phone numbers and similar. The column keeps its width in a narrow container; narrowed by
   * hand, its text breaks into lines.
   */
  whole?: boolean;
  /**
   * Its position in a row's card: first line start (`title`) or end (`aside`), second line start (`line`, the default)
   * or end (`note`), below them with its title (`fact`), or `hidden`.
   */
  phone?: 'title' | 'aside' | 'line' | 'note' | 'fact' | 'hidden';
};

/** The view of a list as in its address. Pages count from 0 for `default`, else from 1. */
export type TableView = { page: number; sort?: Sort | null | undefined };

export type Picking = {
  /** Cards show their checkboxes, and a tap selects instead of opening. */
  on: boolean;
  set: (on: boolean) => void;
};

type SelectionPartProps<Row> = {
  table: TableProps<Row>;
  selection: Selection<Row>;
  picking: Picking;
};

/** The components for selecting rows (`selectionParts`): only tables that need them load them. */
export type SelectionParts = {
  Choose: <Row>(props: SelectionPartProps<Row> & { row: Row }) => ReactNode;
  ChooseAll: <Row>(props: Omit<SelectionPartProps<Row>, 'picking'>) => ReactNode;
  PickButton: <Row>(props: Omit<SelectionPartProps<Row>, 'selection'>) => ReactNode;
  SelectionBar: <Row>(props: SelectionPartProps<Row>) => ReactNode;
};

/** Selectable rows, by their keys; those of other pages stay selected. */
export type Selection<Row> = {
  /** Always `selectionParts`. */
  pieces: SelectionParts;
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  /** The row's name in 'Pilih baris …'. */
  nameOf: (row: Row) => string;
  actions?: ReactNode;
};

export type TableProps<Row> = {
  /** The table's accessible name. */
  caption: string;
  /** The paging type on the wire; decides whether pages count from 0 or 1. */
  type?: PagingType;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  view: TableView;
  /**
   * Called on a page change or a sort (which also returns to the first page). `replace` if the requested page no longer
   * exists, so that Back does not return to it.
   */
  onView: (view: TableView, how?: { replace: boolean }) => void;
  /** Pages in all; `undefined` when unknown (then `hasMore` says whether there is a next one). */
  totalPages: number | undefined;
  hasMore?: boolean;
  /** No data yet: shows skeleton rows. */
  loading?: boolean;
  /** Newer data is loading; the old rows stay. */
  busy?: boolean;
  /** Around 'Data tidak ditemukan': an `EmptyState`, whose heading is above it, or a sentence. */
  empty?: ReactNode;
  /** Opens a row: a click anywhere on it, or Enter on its first cell. j and k move between rows. */
  onOpen?: (row: Row) => void;
  openKey?: string | undefined;
  /** A last cell for a row's own menu; its button is named after the row. */
  menu?: (row: Row) => ReactNode;
  /** In px, if the menu's button has text; omitted: room for an icon. */
  menuWidth?: number;
  /** Details below a row, over its whole width; null for none. */
  detail?: (row: Row) => ReactNode;
  /** Consecutive rows with the same text (a day) have it as a common heading. */
  group?: (row: Row) => string;
  /** Gives each row a checkbox, and x to select it; cards show theirs after 'Pilih' or a long press. */
  selection?: Selection<Row>;
  /** Names the page numbers if a screen has several such lists. */
  pagesLabel?: string;
};
