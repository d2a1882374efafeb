import { useState } from 'react';
import {
  type Adjustment,
  AdjustmentStatus,
  adjustmentKindLabel,
  adjustmentStatusLabel,
  listAdjustments,
} from '#contract/operator/desk.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { ProposalDrawer } from '#web/features/operator/adjustments/ProposalDrawer.tsx';
import { proposalTone } from '#web/features/operator/adjustments/proposals.ts';
import styles from '#web/features/operator/desk/desk.module.css';
import { Money } from '#web/ui/money/Money.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { useList } from '#web/ui/table/useList.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const statuses = [
  { value: '', label: 'Semua status' },
  ...AdjustmentStatus().options.map((status) => ({
    value: status,
    label: adjustmentStatusLabel[status],
  })),
];

const columns: readonly Column<Adjustment>[] = [
  {
    id: 'account_name',
    title: 'Pelanggan',
    width: 200,
    phone: 'title',
    cell: ({ account_name }) => account_name,
  },
  {
    id: 'kind',
    title: 'Jenis',
    width: 200,
    phone: 'line',
    cell: ({ kind }) => adjustmentKindLabel[kind],
  },
  {
    id: 'amount',
    title: 'Jumlah',
    align: 'end',
    whole: true,
    phone: 'aside',
    cell: ({ amount }) => <Money amount={amount} />,
  },
  {
    id: 'status',
    title: 'Status',
    width: 200,
    phone: 'note',
    cell: ({ status }) => (
      <StatusChip tone={proposalTone[status]}>{adjustmentStatusLabel[status]}</StatusChip>
    ),
  },
  {
    id: 'proposed_by',
    title: 'Diusulkan',
    width: 220,
    phone: 'fact',
    cell: ({ proposed_by, proposed_at }) => (
      <>
        {proposed_by}, <DateTime at={proposed_at} />
      </>
    ),
  },
];

type Props = {
  status: string | undefined;
  /** The proposal whose details are open. */
  open: string | undefined;
  onOpen: (id: string | undefined) => void;
};

/** What operators booked by hand or want to, the newest first. */
export function Proposals({ status, open, onOpen }: Props) {
  const [page, setPage] = useState(0);
  const [decided, setDecided] = useState<Adjustment>();
  const read = AdjustmentStatus().safeParse(status);
  const list = useList(listAdjustments, { ...(read.success && { status: read.data }) }, { page });
  const found = list.table.rows.find(({ id }) => id === open);
  const shown = decided?.id === open ? decided : found;
  return (
    <Panel title="Penyesuaian dan usulan">
      <div className={styles['filters']}>
        <Select
          label="Status usulan"
          hideLabel
          options={statuses}
          value={read.success ? read.data : ''}
          onChange={({ target }) => {
            setPage(0);
            void navigate({
              to: '/operator/pelanggan',
              change: { status: target.value || undefined },
              resetScroll: false,
            });
          }}
        />
      </div>
      <DataTable
        caption="Penyesuaian dan usulan"
        pagesLabel="Halaman usulan"
        columns={columns}
        rowKey={({ id }) => id}
        {...list.table}
        onOpen={({ id }) => onOpen(id)}
        openKey={open}
        onView={(view) => setPage(view.page)}
        empty={
          list.error ? (
            <WentWrong message={sentenceOf(list.error)} onRetry={() => void list.refetch()} />
          ) : (
            <p className={styles['note']}>
              Penyesuaian dibuat dari rincian pelanggan. Yang di atas batas menunggu operator lain.
            </p>
          )
        }
      />
      {open !== undefined && (
        <ProposalDrawer
          key={open}
          proposal={shown}
          loading={list.isPending}
          onClose={() => onOpen(undefined)}
          onDecided={setDecided}
        />
      )}
    </Panel>
  );
}
