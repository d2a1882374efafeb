import { Money } from '#web/ui/money/Money.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

export const customerColumn = {
  id: 'account_name',
  title: 'Pelanggan',
  width: 220,
  phone: 'title',
  cell: ({ account_name }: { account_name: string }) => account_name,
} as const;

type Moment<Row> = Pick<Column<Row>, 'id' | 'title' | 'sortable'> & { at: (row: Row) => Date };

export const momentColumn = <Row,>({ at, ...column }: Moment<Row>): Column<Row> => ({
  ...column,
  width: 170,
  phone: 'line',
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
