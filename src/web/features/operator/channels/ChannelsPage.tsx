import { type ConnectedNumber, listNumbers } from '#contract/operator/overview.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { Answers } from '#web/features/operator/channels/Answers.tsx';
import { NumberDrawer } from '#web/features/operator/channels/NumberDrawer.tsx';
import { NumberState } from '#web/features/operator/channels/NumberState.tsx';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { channelLabel, uptimeWords } from '#web/features/tokens/tokens.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const columns: readonly Column<ConnectedNumber>[] = [
  {
    id: 'account_name',
    title: 'Pelanggan',
    width: 200,
    phone: 'title',
    cell: ({ account_name, is_system, token_name }) => (
      <span className={styles['what']}>
        <bdi>{is_system ? 'Token sistem' : account_name}</bdi>
        {!is_system && (
          <span className={styles['small']}>
            <bdi>{token_name}</bdi>
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'phone',
    title: 'Nomor',
    width: 155,
    whole: true,
    phone: 'line',
    cell: ({ phone }) => <span className="num">{phone ?? '—'}</span>,
  },
  {
    id: 'channel',
    title: 'Kanal',
    width: 172,
    whole: true,
    phone: 'fact',
    cell: ({ channel }) => channelLabel[channel],
  },
  {
    id: 'state',
    title: 'Status',
    width: 140,
    phone: 'aside',
    cell: (number) => <NumberState number={number} />,
  },
  {
    id: 'since',
    title: 'Tersambung sejak',
    width: 162,
    sortable: true,
    phone: 'hidden',
    cell: ({ since, status }) => (since && status === 'linked' ? <DateTime at={since} /> : '—'),
  },
  {
    id: 'uptime',
    title: 'Waktu aktif 30 hari',
    width: 150,
    align: 'end',
    phone: 'fact',
    cell: ({ uptime }) => <span className="num">{uptimeWords(uptime)}</span>,
  },
  {
    id: 'last_receipt_at',
    title: 'Laporan terakhir',
    width: 156,
    phone: 'hidden',
    cell: ({ last_receipt_at: at }) => (at ? <DateTime at={at} /> : 'Belum ada'),
  },
];

type Search = { page?: number; channel?: 'cloud' | 'web'; state?: State; open?: string };
type State = 'connected' | 'parted' | 'restricted' | 'paused';

const go = (change: { [K in keyof Search]: Search[K] | undefined }) =>
  void navigate({ to: '/operator/kanal', change, resetScroll: false });

/** Route `/operator/kanal`: all customers' numbers in their networks, and the networks' errors. */
export function ChannelsPage() {
  const { channel, state, open } = useSearch('/operator/kanal');
  const { view, onView } = useAddressView('/operator/kanal', { sorts: ['since'] });
  const list = useList(listNumbers, { channel, state }, view);
  const opened = list.table.rows.find((row) => row.token_id === open);
  const isFiltered = channel !== undefined || state !== undefined;
  return (
    <OperatorFrame
      title="Kanal"
      context="Nomor yang tersambung ke WhatsApp, dan jawaban jaringannya. Yang perlu perhatian lebih dahulu."
    >
      <div className={styles['page']}>
        <Panel title="Nomor">
          <Filters channel={channel} state={state} />
          <DataTable
            caption="Nomor di semua kanal"
            columns={columns}
            rowKey={(row) => row.token_id}
            {...list.table}
            onView={onView}
            onOpen={(row) => go({ open: row.token_id })}
            openKey={open}
            empty={
              <NoRows
                list={list}
                onReset={
                  isFiltered &&
                  (() => go({ page: undefined, channel: undefined, state: undefined }))
                }
              >
                <EmptyState title="Belum ada nomor yang tersambung">
                  Nomor pelanggan muncul di sini begitu tersambung ke WhatsApp Cloud API atau
                  WhatsApp Web.
                </EmptyState>
              </NoRows>
            }
          />
        </Panel>
        <Answers />
      </div>
      {open !== undefined && (
        <NumberDrawer
          key={open}
          number={opened}
          loading={list.isPending}
          onClose={() => go({ open: undefined })}
        />
      )}
    </OperatorFrame>
  );
}

const channels = [
  { value: '', label: 'Semua kanal' },
  { value: 'cloud', label: channelLabel.cloud },
  { value: 'web', label: channelLabel.web },
];
const states = [
  { value: '', label: 'Semua status' },
  { value: 'connected', label: 'Tersambung' },
  { value: 'parted', label: 'Terputus' },
  { value: 'restricted', label: 'Dibatasi' },
  { value: 'paused', label: 'Dijeda' },
];

type FiltersProps = { channel: 'cloud' | 'web' | undefined; state: State | undefined };

const Filters = ({ channel, state }: FiltersProps) => (
  <div className={styles['filters']}>
    <Select
      label="Kanal"
      hideLabel
      options={channels}
      value={channel ?? ''}
      onChange={({ target }) =>
        go({ page: undefined, channel: (target.value || undefined) as 'cloud' | 'web' | undefined })
      }
    />
    <Select
      label="Status"
      hideLabel
      options={states}
      value={state ?? ''}
      onChange={({ target }) =>
        go({ page: undefined, state: (target.value || undefined) as State | undefined })
      }
    />
  </div>
);
