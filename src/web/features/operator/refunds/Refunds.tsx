import { useState } from 'react';
import {
  type FlaggedPayment,
  type OpenRefund,
  listFlagged,
  listRefunds,
} from '#contract/operator/refunds.ts';
import { sentenceOf } from '#web/api/errors.ts';
import styles from '#web/features/operator/desk/desk.module.css';
import { wayNames } from '#web/features/operator/desk/wayNames.ts';
import { FlaggedDrawer } from '#web/features/operator/refunds/FlaggedDrawer.tsx';
import { RefundDrawer } from '#web/features/operator/refunds/RefundDrawer.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { useList } from '#web/ui/table/useList.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const refundColumns: readonly Column<OpenRefund>[] = [
  {
    id: 'account_name',
    title: 'Pelanggan',
    width: 220,
    phone: 'title',
    cell: ({ account_name }) => account_name,
  },
  {
    id: 'since',
    title: 'Sejak',
    width: 170,
    phone: 'line',
    cell: ({ since }) => <DateTime at={since} />,
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
  {
    id: 'account_name',
    title: 'Pelanggan',
    width: 220,
    phone: 'title',
    cell: ({ account_name }) => account_name,
  },
  {
    id: 'at',
    title: 'Ditandai',
    width: 170,
    phone: 'line',
    cell: ({ at }) => <DateTime at={at} />,
  },
  {
    id: 'total',
    title: 'Jumlah',
    align: 'end',
    whole: true,
    phone: 'aside',
    cell: ({ total }) => <Money amount={total} />,
  },
  {
    id: 'provider',
    title: 'Status',
    width: 220,
    phone: 'note',
    cell: ({ provider }) => (
      <StatusChip tone="danger">{`Ditarik di ${wayNames[provider] ?? provider}`}</StatusChip>
    ),
  },
];

/** Money on its way back to payers: what somebody has to transfer, and what gateways took back themselves. */
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
  const [page, setPage] = useState(0);
  const [opened, setOpened] = useState<OpenRefund>();
  const list = useList(listRefunds, {}, { page, sort: undefined });
  return (
    <>
      <DataTable
        caption="Pengembalian dana yang belum sampai"
        columns={refundColumns}
        rowKey={({ id }) => id}
        {...list.table}
        onOpen={setOpened}
        openKey={opened?.id}
        onView={(view) => setPage(view.page)}
        empty={
          list.error ? (
            <WentWrong message={sentenceOf(list.error)} onRetry={() => void list.refetch()} />
          ) : (
            <p className={styles['note']}>
              Tidak ada pengembalian yang menunggu. Pembayaran dikembalikan dari rincian isi saldo
              yang lunas.
            </p>
          )
        }
      />
      {opened && (
        <RefundDrawer key={opened.id} refund={opened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

function Flagged() {
  const [page, setPage] = useState(0);
  const [opened, setOpened] = useState<FlaggedPayment>();
  const list = useList(listFlagged, {}, { page, sort: undefined });
  return (
    <>
      <DataTable
        caption="Pembayaran yang ditarik di gerbang pembayaran"
        columns={flaggedColumns}
        rowKey={(row) => row.topup_id}
        {...list.table}
        onOpen={setOpened}
        openKey={opened?.topup_id}
        onView={(view) => setPage(view.page)}
        empty={
          list.error ? (
            <WentWrong message={sentenceOf(list.error)} onRetry={() => void list.refetch()} />
          ) : (
            <p className={styles['note']}>
              Tidak ada. Pembayaran yang dikembalikan atau disengketakan lewat gerbangnya sendiri
              tampil di sini.
            </p>
          )
        }
      />
      {opened && (
        <FlaggedDrawer
          key={opened.topup_id}
          payment={opened}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}
