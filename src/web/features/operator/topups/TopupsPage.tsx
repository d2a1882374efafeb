import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { useState } from 'react';
import { type OperatorTopup, operatorTopups } from '#contract/operator/payments.ts';
import { topupMethodLabel, TopupStatus, topupStatusLabel } from '#contract/saldo.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import styles from '#web/features/operator/topups/TopupsPage.module.css';
import { amountColumn, momentColumn } from '#web/features/operator/form/columns.tsx';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { TopupDrawer } from '#web/features/operator/topups/TopupDrawer.tsx';
import { filterOf, mayConfirm, offerOf, wordOf } from '#web/features/operator/topups/topups.ts';
import { topupTone } from '#web/features/saldo/saldo.ts';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

/** The poll interval of the list: no live event reports other accounts' top-ups to an operator. */
const LOOK_MS = 10_000;

const statuses = [
  { value: '', label: 'Menunggu tindakan' },
  { value: 'gateway', label: 'Menunggu di gerbang' },
  { value: 'semua', label: 'Semua status' },
  ...TopupStatus().options.map((status) => ({ value: status, label: topupStatusLabel[status] })),
];

const columns: readonly Column<OperatorTopup>[] = [
  {
    id: 'account_name',
    title: 'Pelanggan',
    width: 220,
    phone: 'title',
    cell: ({ account_name, method }) => (
      <span className={styles['who']}>
        {account_name}
        {method !== 'bank' && <span className={styles['method']}>{topupMethodLabel[method]}</span>}
      </span>
    ),
  },
  momentColumn({
    id: 'created_at',
    title: 'Dibuat',
    sortable: true,
    at: ({ created_at }) => created_at,
  }),
  amountColumn('total', ({ total }) => total),
  {
    id: 'status',
    title: 'Status',
    width: 190,
    phone: 'note',
    cell: ({ status }) => (
      <StatusChip tone={topupTone[status]}>{topupStatusLabel[status]}</StatusChip>
    ),
  },
  {
    id: 'slip',
    title: 'Bukti',
    width: 130,
    phone: 'fact',
    cell: ({ slip, proposal, method }) => {
      if (proposal) return <StatusChip tone="warning">Perlu operator kedua</StatusChip>;
      if (method !== 'bank') return <span className={styles['none']}>Lewat gerbang</span>;
      if (!slip) return <span className={styles['none']}>Belum ada</span>;
      return slip.used_before ? (
        <StatusChip tone="danger">Pernah dipakai</StatusChip>
      ) : (
        <StatusChip tone="info">Ada</StatusChip>
      );
    },
  },
  {
    id: 'offer',
    title: 'Mutasi bank',
    width: 190,
    whole: true,
    phone: 'fact',
    cell: (row) => {
      const offer = offerOf(row);
      const isOver = row.status === 'paid' || row.status === 'rejected';
      if (!offer && (isOver || row.method !== 'bank'))
        return <span className={styles['none']}>—</span>;
      if (!offer) return <span className={styles['none']}>Belum ada</span>;
      return <StatusChip tone={offer.exact ? 'success' : 'info'}>{offer.words}</StatusChip>;
    },
  },
];

/** The list of the address, polled while the page is visible. */
function useTopups() {
  const filter = filterOf(useSearch('/operator/isi-saldo').status);
  const { view, onView } = useAddressView('/operator/isi-saldo', { sorts: ['created_at'] });
  const list = useList(operatorTopups, { status: filter }, view, { everyMs: LOOK_MS });
  return { list, filter, onView };
}

/** Route `/operator/isi-saldo`: the top-ups of all customers, waiting ones first. */
export function TopupsPage() {
  const { open } = useSearch('/operator/isi-saldo');
  const [known, setKnown] = useState<OperatorTopup>();
  const { list, filter, onView } = useTopups();

  type Change = { page?: number; status?: string; open?: string };
  const go = (change: { [K in keyof Change]: Change[K] | undefined }) =>
    void navigate({
      to: '/operator/isi-saldo',
      change,
      resetScroll: false,
    });
  const openOne = (row: OperatorTopup | undefined) => {
    setKnown(row);
    go({ open: row?.id });
  };
  // A decided row soon leaves the list, or is still there in its old state.
  const remembered = known?.id === open ? known : undefined;
  const decided = remembered && !mayConfirm(remembered) ? remembered : undefined;
  const opened = decided ?? list.table.rows.find(({ id }) => id === open) ?? remembered;
  return (
    <OperatorFrame
      title="Isi saldo"
      context="Isi saldo pelanggan yang perlu dicocokkan dengan bank."
    >
      <Panel>
        <div className={styles['filters']}>
          <Select
            label="Status"
            hideLabel
            options={statuses}
            value={wordOf(filter) ?? ''}
            onChange={({ target }) => go({ page: undefined, status: target.value || undefined })}
          />
        </div>
        <DataTable
          caption="Isi saldo pelanggan"
          columns={columns}
          rowKey={(row) => row.id}
          {...list.table}
          onOpen={openOne}
          openKey={open}
          onView={onView}
          empty={
            <NoRows
              list={list}
              onReset={filter !== 'open' && (() => go({ page: undefined, status: undefined }))}
            >
              <EmptyState title="Tidak ada isi saldo yang menunggu tindakan">
                Yang hanya menunggu transfer pelanggannya ada di status {topupStatusLabel.pending}.
              </EmptyState>
            </NoRows>
          }
        />
      </Panel>
      {open && (
        <TopupDrawer
          key={open}
          topup={opened}
          loading={list.isPending}
          onClose={() => openOne(undefined)}
          onDecided={setKnown}
          onShowAll={filter && (() => go({ page: undefined, status: wordOf(undefined) }))}
        />
      )}
    </OperatorFrame>
  );
}
