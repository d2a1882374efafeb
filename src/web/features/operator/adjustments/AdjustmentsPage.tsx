import { useState } from 'react';
import {
  type Adjustment,
  AdjustmentStatus,
  adjustmentKindLabel,
  adjustmentStatusLabel,
  listAdjustments,
} from '#contract/operator/books.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { ProposalDrawer } from '#web/features/operator/adjustments/ProposalDrawer.tsx';
import { proposalTone } from '#web/features/operator/adjustments/proposals.ts';
import styles from '#web/features/operator/form/form.module.css';
import { amountColumn, customerColumn } from '#web/features/operator/form/columns.tsx';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const statuses = [
  { value: '', label: 'Semua status' },
  ...AdjustmentStatus().options.map((status) => ({
    value: status,
    label: adjustmentStatusLabel[status],
  })),
];

const columns: readonly Column<Adjustment>[] = [
  customerColumn,
  {
    id: 'kind',
    title: 'Jenis',
    width: 200,
    phone: 'line',
    cell: ({ kind }) => adjustmentKindLabel[kind],
  },
  amountColumn('amount', ({ amount }) => amount),
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
    id: 'created_at',
    title: 'Diusulkan',
    sortable: true,
    width: 220,
    phone: 'fact',
    cell: ({ proposed_by, proposed_at }) => (
      <>
        {proposed_by}, <DateTime at={proposed_at} />
      </>
    ),
  },
];

type Change = {
  [K in 'page' | 'status' | 'open' | 'sort_by' | 'sort_type']?: string | number | undefined;
};

const go = (change: Change, replace = false) =>
  void navigate({
    to: '/operator/penyesuaian',
    change: change as Record<string, never>,
    resetScroll: false,
    replace,
  });

/** Route `/operator/penyesuaian`: adjustments by operators, booked and proposed, newest first. */
export function AdjustmentsPage() {
  const { status, open } = useSearch('/operator/penyesuaian');
  const [decided, setDecided] = useState<Adjustment>();
  const read = AdjustmentStatus().safeParse(status);
  const { view, onView } = useAddressView('/operator/penyesuaian', {
    sorts: ['created_at'],
    order: 'asc',
  });
  const filters = { ...(read.success && { status: read.data }) };
  const list = useList(listAdjustments, filters, view);
  const found = list.table.rows.find(({ id }) => id === open);
  const shown = decided?.id === open ? decided : found;
  return (
    <OperatorFrame
      title="Penyesuaian"
      context="Setiap koreksi adalah mutasi baru; yang sudah tercatat tidak pernah diubah."
      action={
        <LinkButton to="/operator/pelanggan" variant="outline" tone="neutral">
          Cari pelanggan
        </LinkButton>
      }
    >
      <Panel>
        <div className={styles['filters']}>
          <Select
            label="Status usulan"
            hideLabel
            options={statuses}
            value={read.success ? read.data : ''}
            onChange={({ target }) => go({ page: undefined, status: target.value || undefined })}
          />
        </div>
        <DataTable
          caption="Penyesuaian dan usulan"
          columns={columns}
          rowKey={({ id }) => id}
          {...list.table}
          onOpen={({ id }) => go({ open: id })}
          openKey={open}
          onView={onView}
          empty={
            <NoRows list={list}>
              <EmptyState title="Belum ada penyesuaian">
                Penyesuaian dibuat dari halaman pelanggan. Yang di atas batas menunggu operator
                lain.
              </EmptyState>
            </NoRows>
          }
        />
      </Panel>
      {open !== undefined && (
        <ProposalDrawer
          key={open}
          proposal={shown}
          loading={list.isPending}
          onClose={() => go({ open: undefined })}
          onDecided={setDecided}
        />
      )}
    </OperatorFrame>
  );
}
