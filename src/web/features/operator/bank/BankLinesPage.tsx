import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { type OperatorBankEntry, listBankEntries } from '#contract/operator/payments.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { BankLineDrawer } from '#web/features/operator/bank/BankLineDrawer.tsx';
import styles from '#web/features/operator/bank/BankLinesPage.module.css';
import { aboutLine, stateLabel, stateTone, whenOf } from '#web/features/operator/bank/bankLines.ts';
import { amountColumn } from '#web/features/operator/form/columns.tsx';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';

const filters = [
  { value: '', label: 'Belum cocok' },
  { value: 'semua', label: 'Semua mutasi' },
];

const columns: readonly Column<OperatorBankEntry>[] = [
  {
    id: 'description',
    title: 'Keterangan bank',
    width: 280,
    phone: 'title',
    // The sender's name stands at its end.
    cell: ({ description }) => <span className={styles['words']}>{description || '—'}</span>,
  },
  {
    id: 'at',
    title: 'Tanggal',
    sortable: true,
    width: 170,
    phone: 'line',
    cell: ({ at }) => whenOf(at),
  },
  amountColumn('amount', ({ amount }) => amount),
  {
    id: 'state',
    title: 'Status',
    width: 160,
    phone: 'note',
    cell: ({ state }) => <StatusChip tone={stateTone[state]}>{stateLabel[state]}</StatusChip>,
  },
  { id: 'about', title: 'Isi saldo', width: 200, phone: 'fact', cell: aboutLine },
];

type Change = { page?: number; filter?: 'semua'; amount?: number; open?: string };

const go = (change: { [K in keyof Change]: Change[K] | undefined }) =>
  void navigate({ to: '/operator/mutasi-bank', change, resetScroll: false });

/** Route `/operator/mutasi-bank`: incoming bank entries, unsettled ones first. */
export function BankLinesPage() {
  const { filter, amount, open } = useSearch('/operator/mutasi-bank');
  const [known, setKnown] = useState<OperatorBankEntry>();
  const { view, onView } = useAddressView('/operator/mutasi-bank', { sorts: ['at'] });
  const input = {
    filter: filter === 'semua' ? ('all' as const) : ('unmatched' as const),
    ...(amount !== undefined && amount > 0 && { amount: String(amount) }),
  };
  const list = useList(listBankEntries, input, view);
  const shown = list.table.rows.find(({ line }) => line === open);
  const opened = (known?.line === open ? known : undefined) ?? shown;
  const openOne = (row: OperatorBankEntry | undefined) => {
    setKnown(row);
    go({ open: row?.line });
  };
  return (
    <OperatorFrame
      title="Mutasi bank"
      context="Uang masuk di rekening isi saldo. Yang belum cocok menunggu Anda."
      action={
        <LinkButton to="/operator/mutasi-bank/impor" icon={<FileUp size={18} />}>
          Impor mutasi
        </LinkButton>
      }
    >
      <Filters filter={filter} amount={amount} />
      <DataTable
        caption="Mutasi bank"
        columns={columns}
        rowKey={(row) => row.line}
        {...list.table}
        onOpen={openOne}
        openKey={open}
        onView={onView}
        empty={
          <NoRows
            list={list}
            reset="Hapus pencarian"
            onReset={amount !== undefined && (() => go({ page: undefined, amount: undefined }))}
          >
            <EmptyState title="Tidak ada mutasi yang menunggu">
              Impor mutasi terbaru dari bank untuk mencocokkannya.
            </EmptyState>
          </NoRows>
        }
      />
      {open && (
        <BankLineDrawer
          key={open}
          line={opened}
          loading={list.isPending}
          onClose={() => openOne(undefined)}
          onSettled={setKnown}
        />
      )}
    </OperatorFrame>
  );
}

type FiltersProps = { filter: 'semua' | undefined; amount: number | undefined };

const Filters = ({ filter, amount }: FiltersProps) => (
  <div className={styles['filters']}>
    <Select
      label="Tampilkan"
      hideLabel
      options={filters}
      value={filter ?? ''}
      onChange={({ target }) =>
        go({ page: undefined, filter: target.value === 'semua' ? 'semua' : undefined })
      }
    />
    <AmountFilter key={amount} amount={amount} />
  </div>
);

function AmountFilter({ amount }: { amount: number | undefined }) {
  const [typed, setTyped] = useState(amount);
  const apply = () => {
    if (typed !== amount) go({ page: undefined, amount: typed || undefined });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <CurrencyField
        label="Cari jumlah"
        hideLabel
        placeholder="Cari jumlah"
        value={typed}
        onChange={setTyped}
        onBlur={apply}
        maxLength={12}
      />
    </form>
  );
}
