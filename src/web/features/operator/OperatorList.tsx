import { use, useState, type ReactNode } from 'react';
import type { Act, OutputOf, Paging } from '#contract/base/act.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { SearchContext } from '#web/browser/router/Router.tsx';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { RecordDrawer } from '#web/features/operator/OperatorFrame.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import type { Option } from '#web/ui/select/options.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import { type Filter, ListFilters } from '#web/ui/table/list/ListFilters.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { type ListPath, useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { type ListFields, useList } from '#web/ui/table/list/useList.ts';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type ListAct = Act & { list: Paging };
type Search = Readonly<Record<string, string | number | undefined>>;

/** A select whose value stands in the address; '' for none. */
type AddressFilter = { name: string; label: string; options: readonly Option[] };

type DrawerActs<Row> = {
  close: () => void;
  /** Shows a row that an act has changed, until a newer answer of the list has it. */
  show: (row: Row) => void;
  setDirty: (isDirty: boolean) => void;
};

type ListDrawer<Row> = {
  title: (row: Row) => ReactNode;
  /** The title without the row. */
  name: string;
  /** Shown if no loaded page has the row. */
  missing: ReactNode;
  /** A value in the address that opens another drawer. */
  except?: string;
  children: (row: Row, acts: DrawerActs<Row>) => ReactNode;
};

type Props<A extends ListAct, Row> = {
  to: ListPath;
  act: A;
  /** The act's fields, from the address. */
  input?: ListFields<A>;
  /** The refetch interval in ms: no live event reports the work of others to an operator. */
  everyMs?: number;
  title?: string;
  caption: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  search?: ReactNode;
  filters?: readonly (AddressFilter | ((hideLabel: boolean) => ReactNode))[];
  /** The address fields that count as set filters and can be reset; those of `filters` if omitted. */
  resets?: readonly string[];
  reset?: string;
  /** Shown without rows and filters. */
  empty?: { title: string; text: string };
  /** Opens a row elsewhere than in a drawer. */
  onOpen?: (row: Row) => void;
  drawer?: ListDrawer<Row>;
  /** The address fields of the open row and the page, for a second list on a page. */
  openField?: string;
  pageField?: string;
  /** After the table. */
  foot?: (totalPages: number) => ReactNode;
};

const change = (to: ListPath, fields: Search): void =>
  void navigate({ to, change: fields, resetScroll: false });

/**
 * A list of the operator's side: filters, sort, page and open row stand in the address; a row opens in a drawer. An act
 * returns the row as it is afterwards, so a row in the drawer stays even if the list no longer has it.
 */
export function OperatorList<A extends ListAct>(props: Props<A, OutputOf<A>>) {
  const { to, act, input, caption, columns, rowKey, drawer, everyMs, title, empty, foot } = props;
  const { openField = 'open' } = props;
  const search = use(SearchContext) as Search;
  const { view, onView } = useAddressView(to, {
    sorts: columns.filter(({ sortable }) => sortable).map(({ id }) => id),
    ...(props.pageField && { pageField: props.pageField }),
  });
  const list = useList(act, input ?? ({} as ListFields<A>), view, everyMs ? { everyMs } : {});
  const [known, setKnown] = useState<{ row: OutputOf<A>; at: number }>();
  const show = (row: OutputOf<A>) => setKnown({ row, at: Date.now() });
  const open = drawer && search[openField];
  const listed = list.table.rows.find((row) => rowKey(row) === open);
  const shown = known && rowKey(known.row) === open ? known : undefined;
  const opened = listed && (!shown || list.dataUpdatedAt > shown.at) ? listed : shown?.row;
  const close = () => change(to, { [openField]: undefined });
  const openRow = (row: OutputOf<A>) => {
    show(row);
    change(to, { [openField]: rowKey(row) });
  };
  const onOpen = props.onOpen ?? (drawer && openRow);
  const { bar, ...resetting } = useFilters(props, search);
  return (
    <Panel title={title}>
      {props.search}
      {bar}
      <DataTable
        {...list.table}
        {...{ caption, columns, rowKey, onView }}
        {...(onOpen && { onOpen, openKey: open === undefined ? undefined : String(open) })}
        empty={
          <NoRows list={list} {...resetting}>
            {empty && <EmptyState title={empty.title}>{empty.text}</EmptyState>}
          </NoRows>
        }
      />
      {foot?.(list.table.totalPages ?? 0)}
      {drawer && open !== undefined && open !== drawer.except && (
        <RecordDrawer
          key={open}
          title={opened === undefined ? drawer.name : drawer.title(opened)}
          onClose={close}
        >
          {(setDirty) =>
            opened === undefined ? (
              <NoRow loading={list.isPending}>{drawer.missing}</NoRow>
            ) : (
              drawer.children(opened, { close, show, setDirty })
            )
          }
        </RecordDrawer>
      )}
    </Panel>
  );
}

const NoRow = ({ loading, children }: { loading: boolean; children: ReactNode }) =>
  loading ? (
    <div aria-busy="true">
      <Skeleton lines={6} height="1.4em" />
    </div>
  ) : typeof children === 'string' ? (
    <EmptyState title={children} />
  ) : (
    children
  );

type FilterProps = Pick<Props<ListAct, unknown>, 'to' | 'caption' | 'filters' | 'resets' | 'reset'>;

function useFilters({ to, caption, filters = [], ...props }: FilterProps, search: Search) {
  const names = filters.flatMap((filter) => (typeof filter === 'object' ? filter.name : []));
  const { resets = names, reset = 'Hapus filter' } = props;
  // A range of days is one filter.
  const count = resets.filter((name) => name !== 'to' && search[name] !== undefined).length;
  const unset = Object.fromEntries(resets.map((name) => [name, undefined]));
  const onReset = () => change(to, { page: undefined, ...unset });
  const select = ({ name, ...filter }: AddressFilter): Filter => ({
    ...filter,
    value: search[name] as string | undefined,
    onChange: (value) => change(to, { page: undefined, [name]: value }),
  });
  const bar = filters.length > 0 && (
    <div className={classes('flex wrap gap-12 mb-12', styles['filters'])}>
      <ListFilters
        title={`Saring ${caption.charAt(0).toLowerCase()}${caption.slice(1)}`}
        filters={filters.map((one) => (typeof one === 'function' ? one : select(one)))}
        {...{ count, reset, onReset }}
      />
    </div>
  );
  return { bar, reset, onReset: count > 0 && onReset };
}

export const customerColumn = {
  id: 'account_name',
  title: 'Pelanggan',
  width: 220,
  phone: 'title',
  cell: ({ account_name }: { account_name: string }) => account_name,
} as const;

type Moment<Row> = Pick<Column<Row>, 'id' | 'title' | 'sortable' | 'width' | 'phone'> & {
  at: (row: Row) => Date;
};

export const momentColumn = <Row,>({ at, ...column }: Moment<Row>): Column<Row> => ({
  width: 170,
  phone: 'line',
  ...column,
  cell: (row) => <DateTime at={at(row)} />,
});

export const amountColumn = <Row,>(id: string, amountOf: (row: Row) => number): Column<Row> => ({
  id,
  title: 'Jumlah',
  align: 'end',
  whole: true,
  phone: 'aside',
  cell: (row) => <Money amount={amountOf(row)} />,
});
