import { type SuspenseItem, listSuspense } from '#contract/operator/payments.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import styles from '#web/features/operator/form/form.module.css';
import {
  amountColumn,
  customerColumn,
  momentColumn,
} from '#web/features/operator/form/columns.tsx';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { Refunds } from '#web/features/operator/refunds/Refunds.tsx';
import { SuspenseDrawer } from '#web/features/operator/suspense/SuspenseDrawer.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';

const columns: readonly Column<SuspenseItem>[] = [
  customerColumn,
  momentColumn({ id: 'created_at', title: 'Diterima', sortable: true, at: ({ at }) => at }),
  amountColumn('amount', ({ amount }) => amount),
  {
    id: 'state',
    title: 'Status',
    width: 220,
    phone: 'note',
    cell: ({ waiting, notes }) => (
      <StatusChip tone={waiting ? 'warning' : 'info'}>
        {waiting ? 'Menunggu operator kedua' : notes.length > 0 ? 'Ada catatan' : 'Belum ditangani'}
      </StatusChip>
    ),
  },
];

const keyOf = ({ provider, txn }: SuspenseItem): string => `${provider} ${txn}`;

const openAt = (open: string | undefined) =>
  void navigate({ to: '/operator/suspense', change: { open }, resetScroll: false });

/** Route `/operator/suspense`: payments that belong to no saldo yet. */
export function SuspensePage() {
  const { open } = useSearch('/operator/suspense');
  const { view, onView } = useAddressView('/operator/suspense', {
    sorts: ['created_at'],
    order: 'asc',
  });
  const list = useList(listSuspense, {}, view);
  const opened = list.table.rows.find((row) => keyOf(row) === open);
  return (
    <OperatorFrame
      title="Dana belum dikenali"
      context={
        <>
          Pembayaran yang datang setelah isi saldonya lunas. Uang ini milik pelanggan, bukan kita.
          Transfer yang tidak cocok dengan isi saldo mana pun ada di{' '}
          <Link to="/operator/mutasi-bank">Mutasi bank</Link>.
        </>
      }
    >
      <div className={styles['page']}>
        <Panel>
          <DataTable
            caption="Dana belum dikenali"
            columns={columns}
            rowKey={keyOf}
            {...list.table}
            onOpen={(row) => openAt(keyOf(row))}
            openKey={open}
            onView={onView}
            empty={
              <NoRows list={list}>
                <EmptyState title="Tidak ada dana yang menunggu">
                  Pembayaran kedua untuk isi saldo yang sama tampil di sini.
                </EmptyState>
              </NoRows>
            }
          />
        </Panel>
        <Refunds />
      </div>
      {open !== undefined && (
        <SuspenseDrawer
          key={open}
          item={opened}
          loading={list.isPending}
          onClose={() => openAt(undefined)}
        />
      )}
    </OperatorFrame>
  );
}
