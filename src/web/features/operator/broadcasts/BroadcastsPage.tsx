import {
  type Broadcast,
  broadcastStateLabel,
  operatorBroadcasts,
} from '#contract/operator/broadcasts.ts';
import { formatNumber } from '#contract/base/money.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { BroadcastDrawer } from '#web/features/operator/broadcasts/BroadcastDrawer.tsx';
import {
  audienceWords,
  broadcastTones,
  wayWords,
} from '#web/features/operator/broadcasts/broadcastWords.ts';
import styles from '#web/features/operator/desk/desk.module.css';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { useList } from '#web/ui/table/useList.ts';
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

const go = (change: { page?: number | undefined; open?: string | undefined }, replace = false) =>
  void navigate({ to: '/operator/pengumuman', change, resetScroll: false, replace });

const NEW = 'baru';
/** How often is looked how far telling is: no live event says so. */
const LOOK_MS = 5_000;

/** Route `/operator/pengumuman`: what is told to customers. */
export function BroadcastsPage() {
  const { page = 0, open } = useSearch('/operator/pengumuman');
  const list = useList(operatorBroadcasts, {}, { page }, { everyMs: LOOK_MS });
  const opened = list.table.rows.find(({ id }) => id === open);
  const make = <Button onClick={() => go({ open: NEW })}>Buat pengumuman</Button>;
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
        onOpen={({ id }) => go({ open: id })}
        openKey={open}
        onView={(view, how) => go({ page: view.page || undefined }, how?.replace)}
        empty={
          list.error ? (
            <WentWrong message={sentenceOf(list.error)} onRetry={() => void list.refetch()} />
          ) : (
            <p className={styles['note']}>
              Belum ada pengumuman. Kabarkan libur atau perubahan harga kepada semua pelanggan
              sekaligus.
            </p>
          )
        }
      />
      {(open === NEW || opened !== undefined) && (
        <BroadcastDrawer key={open} broadcast={opened} onClose={() => go({ open: undefined })} />
      )}
    </OperatorFrame>
  );
}
