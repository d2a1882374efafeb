import {
  type FlaggedPayment,
  type OpenRefund,
  listFlagged,
  listRefunds,
} from '#contract/operator/payments.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import {
  amountColumn,
  customerColumn,
  momentColumn,
} from '#web/features/operator/form/columns.tsx';
import { paymentMethodLabels } from '#web/features/operator/form/paymentMethodLabels.ts';
import { FlaggedDrawer } from '#web/features/operator/refunds/FlaggedDrawer.tsx';
import { RefundDrawer } from '#web/features/operator/refunds/RefundDrawer.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useList } from '#web/ui/table/list/useList.ts';

const refundColumns: readonly Column<OpenRefund>[] = [
  customerColumn,
  momentColumn({ id: 'since', title: 'Sejak', at: ({ since }) => since }),
  amountColumn('amount', ({ amount }) => amount),
  {
    id: 'way',
    title: 'Status',
    width: 220,
    phone: 'note',
    cell: ({ way }) => (
      <StatusChip tone={way === 'manual' ? 'warning' : 'info'}>
        {way === 'manual' ? 'Perlu ditransfer' : 'Menunggu gerbang'}
      </StatusChip>
    ),
  },
];

const flaggedColumns: readonly Column<FlaggedPayment>[] = [
  customerColumn,
  momentColumn({ id: 'at', title: 'Ditandai', at: ({ at }) => at }),
  amountColumn('total', ({ total }) => total),
  {
    id: 'kind',
    title: 'Status',
    width: 220,
    phone: 'note',
    cell: ({ kind }) => (
      <StatusChip tone="danger">{kind === 'refunded' ? 'Ditarik' : 'Sebagian ditarik'}</StatusChip>
    ),
  },
  {
    id: 'provider',
    title: 'Lewat',
    width: 120,
    phone: 'fact',
    cell: ({ provider }) => paymentMethodLabels[provider] ?? provider,
  },
];

type Change = { refund?: string; refund_page?: number; flag?: string; flag_page?: number };

const go = (change: { [K in keyof Change]: Change[K] | undefined }, replace = false) =>
  void navigate({ to: '/operator/suspense', change, resetScroll: false, replace });

export const Refunds = () => (
  <>
    <Panel title="Pengembalian dana">
      <OpenRefunds />
    </Panel>
    <Panel title="Ditarik di gerbang pembayaran">
      <Flagged />
    </Panel>
  </>
);

function OpenRefunds() {
  const { refund, refund_page: page = 0 } = useSearch('/operator/suspense');
  const list = useList(listRefunds, {}, { page, sort: undefined });
  return (
    <>
      <DataTable
        caption="Pengembalian dana yang belum sampai"
        columns={refundColumns}
        rowKey={({ id }) => id}
        {...list.table}
        onOpen={({ id }) => go({ refund: id })}
        openKey={refund}
        onView={(view, how) => go({ refund_page: view.page || undefined }, how?.replace)}
        empty={
          <NoRows list={list}>
            <EmptyState title="Tidak ada pengembalian yang menunggu">
              Pembayaran dikembalikan dari rincian isi saldo yang lunas.
            </EmptyState>
          </NoRows>
        }
      />
      {refund !== undefined && (
        <RefundDrawer
          key={refund}
          refund={list.table.rows.find(({ id }) => id === refund)}
          loading={list.isPending}
          onClose={() => go({ refund: undefined })}
        />
      )}
    </>
  );
}

function Flagged() {
  const { flag, flag_page: page = 0 } = useSearch('/operator/suspense');
  const list = useList(listFlagged, {}, { page, sort: undefined });
  return (
    <>
      <DataTable
        caption="Pembayaran yang ditarik di gerbang pembayaran"
        columns={flaggedColumns}
        rowKey={(row) => row.topup_id}
        {...list.table}
        onOpen={({ topup_id }) => go({ flag: topup_id })}
        openKey={flag}
        onView={(view, how) => go({ flag_page: view.page || undefined }, how?.replace)}
        empty={
          <NoRows list={list}>
            <EmptyState title="Tidak ada yang ditarik">
              Pembayaran yang dikembalikan atau disengketakan lewat gerbangnya sendiri tampil di
              sini.
            </EmptyState>
          </NoRows>
        }
      />
      {flag !== undefined && (
        <FlaggedDrawer
          key={flag}
          payment={list.table.rows.find(({ topup_id }) => topup_id === flag)}
          loading={list.isPending}
          onClose={() => go({ flag: undefined })}
        />
      )}
    </>
  );
}
