import type { ReactNode } from 'react';
import type { PagingType } from '#web/ui/pagination/paging.ts';
import type { Sort } from '#web/ui/table/sort.ts';

/** A column of a table. */
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

/** How rows are chosen in a table. */
export type Picking = {
  /** Rows in a narrow place show their boxes, and a tap chooses instead of opening. */
  on: boolean;
  set: (on: boolean) => void;
};

type ChoosingProps<Row> = { table: TableProps<Row>; selection: Selection<Row>; picking: Picking };

/** The pieces with which rows are chosen (`choosing`): only tables that need them bring them along. */
export type Choosing = {
  Choose: <Row>(props: ChoosingProps<Row> & { row: Row }) => ReactNode;
  ChooseAll: <Row>(props: Omit<ChoosingProps<Row>, 'picking'>) => ReactNode;
  PickButton: <Row>(props: Omit<ChoosingProps<Row>, 'selection'>) => ReactNode;
  ChosenBar: <Row>(props: ChoosingProps<Row>) => ReactNode;
};

/** Rows that can be chosen, by their keys; those of other pages stay chosen. */
export type Selection<Row> = {
  /** Always `choosing`. */
  pieces: Choosing;
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
  /** In px, where the menu's button has words; left out: room for an icon. */
  menuWidth?: number;
  /** What stands under a row, over its whole width; null for nothing. */
  detail?: (row: Row) => ReactNode;
  /** Rows that follow each other with the same words (a day) stand under these words, said once. */
  group?: (row: Row) => string;
  /** Gives each row a checkbox, and x to choose it; cards show theirs after 'Pilih' or a long press. */
  selection?: Selection<Row>;
  /** Names the page numbers where a screen has more than one such list. */
  pagesLabel?: string;
};
