import { History, Webhook as Icon } from 'lucide-react';
import { useId, useMemo, useState, type ComponentProps } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatDate } from '#contract/base/time.ts';
import {
  deliveryStateLabel,
  listDeliveries,
  type Delivery,
  eventTypeLabel,
  WEBHOOK_LIMITS,
  type Webhook,
} from '#contract/webhooks.ts';
import { useUser } from '#web/api/user.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { DeliveryDrawer } from '#web/features/webhooks/deliveries/DeliveryDrawer.tsx';
import { DeliveryFilters } from '#web/features/webhooks/deliveries/DeliveryFilters.tsx';
import { noFilters, readFilters } from '#web/features/webhooks/deliveries/filters.ts';
import { Peer } from '#web/features/webhooks/deliveries/Peer.tsx';
import { ReplayDialog } from '#web/features/webhooks/deliveries/ReplayDialog.tsx';
import {
  answerWords,
  deliveryTone,
  formatDaySecond,
  formatSecond,
  offReason,
} from '#web/features/webhooks/labels.ts';
import { LOOK_MS } from '#web/features/webhooks/queries.ts';
import styles from '#web/features/webhooks/webhooks.module.css';
import { classes } from '#web/ui/classes.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';

const columns = (zone: string): readonly Column<Delivery>[] => [
  {
    id: 'created_at',
    title: 'Waktu',
    width: 90,
    whole: true,
    phone: 'aside',
    cell: ({ created_at: at }) => (
      <time dateTime={at.toISOString()} title={formatDaySecond(at, zone)}>
        {formatSecond(at, zone)}
      </time>
    ),
  },
  {
    id: 'type',
    title: 'Peristiwa',
    width: 240,
    phone: 'title',
    cell: ({ type }) => (
      <span className={classes('grid', styles['event'])}>
        <span>{eventTypeLabel[type]}</span>
        <code>{type}</code>
      </span>
    ),
  },
  {
    id: 'peer',
    title: 'Nomor',
    width: 210,
    phone: 'fact',
    cell: (delivery) => <Peer delivery={delivery} />,
  },
  {
    id: 'state',
    title: 'Status',
    width: 130,
    phone: 'note',
    cell: ({ state }) => (
      <StatusChip tone={deliveryTone[state]}>{deliveryStateLabel[state]}</StatusChip>
    ),
  },
  {
    id: 'tries',
    title: 'Percobaan',
    width: 100,
    align: 'end',
    phone: 'hidden',
    cell: ({ tries }) => <span className="num">{formatNumber(tries)}</span>,
  },
  {
    id: 'answer',
    title: 'Balasan terakhir',
    width: 220,
    phone: 'line',
    cell: (delivery) => <LastAnswer delivery={delivery} zone={zone} />,
  },
];

function LastAnswer({ delivery, zone }: { delivery: Delivery; zone: string }) {
  const { last_status: status, last_error: error, next_at: next, state } = delivery;
  const words = answerWords({ status, error });
  return (
    <span className={classes('grid', styles['event'])}>
      <span className={words === '' ? 'small faint' : undefined}>
        {words || (state === 'waiting' ? 'Menunggu giliran' : 'Belum dicoba')}
      </span>
      {state === 'waiting' && next && words !== '' && (
        <span className="small faint">dicoba lagi {formatDaySecond(next, zone)}</span>
      )}
    </span>
  );
}

type ReplayProps = { isOff: boolean; reason: string; onClick: () => void };

const ReplayButton = ({ isOff, reason, onClick }: ReplayProps) => (
  <Button
    variant="outline"
    tone="neutral"
    size="sm"
    icon={<History size={16} aria-hidden="true" />}
    disabled={isOff}
    aria-describedby={isOff ? reason : undefined}
    onClick={onClick}
  >
    Kirim ulang per tanggal
  </Button>
);

const NoDeliveries = (props: Omit<ComponentProps<typeof NoRows>, 'children'>) => (
  <NoRows {...props}>
    <EmptyState icon={<Icon size={24} />} title="Belum ada peristiwa">
      Tekan Kirim uji coba di atas untuk mencoba alamatnya, atau kirim satu pesan: peristiwanya
      muncul di sini otomatis.
    </EmptyState>
  </NoRows>
);

export function DeliveriesPart({ webhook }: { webhook: Webhook }) {
  const search = useSearch('/token/webhook');
  const { timezone: zone } = useUser();
  const [replaying, setReplaying] = useState(false);
  const reason = useId();
  const isOff = webhook.state === 'off';
  const filters = readFilters(search);
  const shown = useMemo(() => columns(zone), [zone]);
  const { view, onView } = useAddressView('/token/webhook', { first: 1 });
  const which = { token_id: webhook.token_id, ...filters };
  const list = useList(listDeliveries, which, view, { everyMs: LOOK_MS });
  const go = (change: Partial<typeof search>, replace = false) =>
    void navigate({ to: '/token/webhook', change, replace, resetScroll: false });
  const openAt = (open: string | undefined) => go({ open });
  return (
    <Panel
      title="Pengiriman"
      tools={<ReplayButton isOff={isOff} reason={reason} onClick={() => setReplaying(true)} />}
    >
      <div className="stack gap-12">
        {isOff && (
          <p id={reason} className="small faint">
            {offReason}
          </p>
        )}
        <DeliveryFilters
          search={search}
          filters={filters}
          onChange={(next) => go({ ...next, page: undefined }, true)}
        />
        <DataTable
          {...list.table}
          caption="Pengiriman, yang terbaru lebih dulu"
          columns={shown}
          rowKey={({ id }) => id}
          group={({ created_at: at }) => formatDate(at, zone)}
          onView={onView}
          onOpen={({ id }) => openAt(id)}
          openKey={search.open}
          empty={
            <NoDeliveries
              list={list}
              onReset={
                Object.keys(filters).length > 0 && (() => go({ ...noFilters, page: undefined }))
              }
            />
          }
        />
        <p className="small faint">
          Pengiriman dan percobaannya disimpan {WEBHOOK_LIMITS.keptDays} hari.
        </p>
      </div>
      <DeliveryDrawer webhook={webhook} id={search.open} onClose={() => openAt(undefined)} />
      {replaying && (
        <ReplayDialog webhook={webhook} filters={filters} onClose={() => setReplaying(false)} />
      )}
    </Panel>
  );
}
