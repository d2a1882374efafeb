import {
  type Broadcast,
  broadcastStateLabel,
  operatorBroadcasts,
} from '#contract/operator/broadcasts.ts';
import { formatNumber } from '#contract/base/money.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { BroadcastDrawer } from '#web/features/operator/broadcasts/BroadcastDrawer.tsx';
import {
  audienceWords,
  broadcastTones,
  wayWords,
} from '#web/features/operator/broadcasts/broadcastWords.ts';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const columns: readonly Column<Broadcast>[] = [
  { id: 'title', title: 'Judul', width: 240, phone: 'title', cell: ({ title }) => title },
  {
    id: 'state',
    title: 'Status',
    width: 130,
    phone: 'aside',
    cell: ({ state }) => (
      <StatusChip tone={broadcastTones[state]}>{broadcastStateLabel[state]}</StatusChip>
    ),
  },
  {
    id: 'audience',
    title: 'Untuk',
    width: 230,
    phone: 'line',
    cell: (row) => audienceWords(row),
  },
  { id: 'ways', title: 'Lewat', width: 170, phone: 'fact', cell: (row) => wayWords(row) },
  {
    id: 'from',
    title: 'Mulai',
    width: 170,
    phone: 'fact',
    cell: ({ from }) => <DateTime at={from} />,
  },
  {
    id: 'until',
    title: 'Sampai',
    width: 170,
    phone: 'fact',
    cell: ({ until }) => <DateTime at={until} />,
  },
  {
    id: 'closed',
    title: 'Ditutup',
    align: 'end',
    width: 110,
    phone: 'fact',
    cell: ({ closed }) => <span className="num">{formatNumber(closed)}</span>,
  },
];

const openAt = (open: string | undefined) =>
  void navigate({ to: '/operator/pengumuman', change: { open }, resetScroll: false });

const NEW = 'baru';
const LOOK_MS = 5_000;

/** Route `/operator/pengumuman`: broadcasts to customers. */
export function BroadcastsPage() {
  const { open } = useSearch('/operator/pengumuman');
  const { view, onView } = useAddressView('/operator/pengumuman');
  const list = useList(operatorBroadcasts, {}, view, { everyMs: LOOK_MS });
  const opened = list.table.rows.find(({ id }) => id === open);
  const make = <Button onClick={() => openAt(NEW)}>Buat pengumuman</Button>;
  return (
    <OperatorFrame
      title="Pengumuman"
      context="Tampil di atas semua halaman pelanggan sampai mereka menutupnya."
      action={make}
    >
      <DataTable
        caption="Pengumuman"
        columns={columns}
        rowKey={({ id }) => id}
        {...list.table}
        onOpen={({ id }) => openAt(id)}
        openKey={open}
        onView={onView}
        empty={
          <NoRows list={list}>
            <EmptyState title="Belum ada pengumuman">
              Kabarkan libur atau perubahan harga kepada semua pelanggan sekaligus.
            </EmptyState>
          </NoRows>
        }
      />
      {(open === NEW || opened !== undefined) && (
        <BroadcastDrawer key={open} broadcast={opened} onClose={() => openAt(undefined)} />
      )}
    </OperatorFrame>
  );
}
