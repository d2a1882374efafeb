import { History, Webhook as Icon, RotateCcw } from 'lucide-react';
import { useId, useMemo, useState, type ComponentProps } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatDate, civilDate } from '#contract/base/time.ts';
import {
  deliveryStateLabel,
  listDeliveries,
  type Delivery,
  eventTypeLabel,
  WEBHOOK_LIMITS,
  type Webhook,
  replayDelivery,
  type DeliveryAttempt,
  type DeliveryDetail,
  eventTypes,
  REPLAY_MAX,
  replayDeliveries,
} from '#contract/webhooks.ts';
import { useUser } from '#web/api/user.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import {
  noFilters,
  readFilters,
  rangeOf,
  type FilterSearch,
  type Filters,
} from '#web/features/webhooks/deliveries/filters.ts';
import {
  answerWords,
  deliveryTone,
  formatDaySecond,
  formatSecond,
  offReason,
  adviceFor,
} from '#web/features/webhooks/labels.ts';
import { LOOK_MS, deliveryQuery, useWebhookChanged } from '#web/features/webhooks/queries.ts';
import styles from '#web/features/webhooks/webhooks.module.css';
import { classes } from '#web/ui/classes.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Panel, Facts, Stack, type Fact } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { useQuery } from '@tanstack/react-query';
import { refusalCode } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { CopyButton } from '#web/ui/copy/CopyField.tsx';
import { Drawer, Modal } from '#web/ui/overlay/Modal.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { Timeline, type TimelineEntry } from '#web/ui/status/Timeline.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords, type DateRange } from '#web/ui/date/dates.ts';
import { type Option, optionsOf } from '#web/ui/select/options.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { ListFilters } from '#web/ui/table/list/ListFilters.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { perform } from '#web/api/act.ts';

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
      <span className="grid">
        <span className="clip">{eventTypeLabel[type]}</span>
        <code className="clip tiny faint">{type}</code>
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
    <span className="grid">
      <span className={classes('clip', words === '' && 'small faint')}>
        {words || (state === 'waiting' ? 'Menunggu giliran' : 'Belum dicoba')}
      </span>
      {state === 'waiting' && next && words !== '' && (
        <span className="clip small faint">dicoba lagi {formatDaySecond(next, zone)}</span>
      )}
    </span>
  );
}

type ReplayProps = { isOff: boolean; reason: string; onClick: () => void };

const ReplayButton = ({ isOff, reason, onClick }: ReplayProps) => (
  <Button
    variant="outline"
    size="sm"
    icon={<History size={16} />}
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

type Props = {
  webhook: Webhook;
  id: string | undefined;
  onClose: () => void;
};

function DeliveryDrawer({ webhook, id, onClose }: Props) {
  return (
    <Drawer
      addressed
      open={id !== undefined}
      onClose={onClose}
      title="Rincian pengiriman"
      size="lg"
    >
      {id !== undefined && <Content webhook={webhook} id={id} />}
    </Drawer>
  );
}

function Content({ webhook, id }: { webhook: Webhook; id: string }) {
  const { token_id: tokenId, state } = webhook;
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(tokenId, id));
  if (delivery) return <Details tokenId={tokenId} isOff={state === 'off'} delivery={delivery} />;
  if (error) {
    const isGone = refusalCode(error) === 'not_found';
    return <WentWrong query={isGone ? { error } : { error, refetch }} />;
  }
  return (
    <div aria-busy="true">
      <Stack gap={24}>
        <Skeleton height={24} width={160} />
        <Skeleton lines={4} />
        <Skeleton height={160} />
      </Stack>
    </div>
  );
}

type DetailsProps = { tokenId: string; isOff: boolean; delivery: DeliveryDetail };

function Details({ tokenId, isOff, delivery }: DetailsProps) {
  const reason = useId();
  const { timezone: zone } = useUser();
  const changed = useWebhookChanged(tokenId);
  const replay = useAct(replayDelivery, {
    onSuccess: () => {
      changed();
      toast('Dikirim ulang.', { tone: 'success' });
    },
  });
  return (
    <Stack gap={24}>
      <Stack gap={12}>
        <RefusalAlert error={replay.error} />
        <Facts facts={factsOf(delivery, zone)} />
        <div>
          <Button
            variant="subtle"
            icon={<RotateCcw size={18} />}
            disabled={isOff}
            aria-describedby={isOff ? reason : undefined}
            busy={replay.busy}
            onClick={() => replay.mutate({ token_id: tokenId, delivery_id: delivery.id })}
          >
            {delivery.state === 'waiting' ? 'Kirim sekarang' : 'Kirim ulang'}
          </Button>
        </div>
        {isOff && (
          <p id={reason} className="small faint">
            {offReason}
          </p>
        )}
      </Stack>
      <Panel title="Percobaan">
        {delivery.attempts.length === 0 ? (
          <p className="small faint">
            {delivery.state === 'skipped'
              ? 'Tidak dikirim: format webhook ini tidak memiliki bentuk untuk peristiwa ini, atau pesannya sudah dihapus.'
              : 'Belum dicoba. Bila ada yang lebih dulu di percakapan yang sama, itu dikirim lebih dulu.'}
          </p>
        ) : (
          <Timeline entries={delivery.attempts.map((attempt) => entryOf(attempt, zone))} />
        )}
      </Panel>
      <Panel title="Isi">
        {delivery.body === null ? (
          <p className="small faint">
            Tidak ada lagi yang dikirim: datanya sudah dihapus dari akun ini.
          </p>
        ) : (
          <CodeBlock title="JSON, dirapikan" code={readable(delivery.body)} />
        )}
      </Panel>
    </Stack>
  );
}

function factsOf(delivery: DeliveryDetail, zone: string): readonly Fact[] {
  const { state, type, created_at, next_at, tries } = delivery;
  return [
    {
      term: 'Status',
      is: <StatusChip tone={deliveryTone[state]}>{deliveryStateLabel[state]}</StatusChip>,
    },
    {
      term: 'Peristiwa',
      is: (
        <>
          {eventTypeLabel[type]} <code>{type}</code>
        </>
      ),
    },
    ...(delivery.peer === null ? [] : [{ term: 'Nomor', is: <Peer delivery={delivery} /> }]),
    { term: 'Terjadi', is: formatDaySecond(created_at, zone) },
    { term: 'Percobaan', is: <span className="num">{formatNumber(tries)}</span> },
    ...(state === 'waiting' && next_at
      ? [{ term: 'Dicoba lagi', is: formatDaySecond(next_at, zone) }]
      : []),
    {
      term: <span id="delivery-id">webhook-id</span>,
      is: (
        <span className="row wrap gap-4 gap-x-8">
          <code className="break-anywhere">{delivery.id}</code>
          <CopyButton value={delivery.id} describes="delivery-id" />
        </span>
      ),
    },
  ];
}

const isGood = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

function entryOf(attempt: DeliveryAttempt, zone: string): TimelineEntry {
  const { n, at, ms, status } = attempt;
  return {
    key: String(n),
    title: `Percobaan ${n}: ${answerWords(attempt)}`,
    time: formatDaySecond(at, zone),
    at,
    tone: isGood(status) ? 'success' : 'danger',
    detail: <Attempt attempt={attempt} ms={ms} />,
  };
}

function Attempt({ attempt, ms }: { attempt: DeliveryAttempt; ms: number }) {
  const advice = adviceFor(attempt);
  const headers = Object.entries(attempt.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className="stack gap-6">
      <p>
        Dijawab dalam <span className="num">{formatNumber(ms)} ms</span>.{advice && ` ${advice}`}
      </p>
      {attempt.answer !== '' && (
        <p className="small break-anywhere code">
          <bdi>{attempt.answer}</bdi>
        </p>
      )}
      <details className="folded">
        <summary>Header yang dikirim</summary>
        <CodeBlock title={`Header percobaan ${attempt.n}`} code={headers.join('\n')} />
      </details>
    </div>
  );
}

/** Pretty-prints JSON; other text is returned as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function Peer({ delivery: { peer, name, message_id: id } }: { delivery: Delivery }) {
  if (peer === null) return null;
  const who = <span className="num">{nameAndNumberOf({ peer, peer_name: name })}</span>;
  if (id === null) return who;
  return (
    <Link to="/message-history" search={{ open: id }}>
      {who}
    </Link>
  );
}

const stateOptions = optionsOf('Semua status', deliveryStateLabel);
const typeOptions: readonly Option[] = [
  { value: '', label: 'Semua jenis' },
  ...eventTypes.map((value) => ({ value, label: eventTypeLabel[value] })),
];

type DeliveryFiltersProps = {
  search: FilterSearch;
  filters: Filters;
  onChange: (next: FilterSearch) => void;
};

const DeliveryFilters = ({ search, filters, onChange }: DeliveryFiltersProps) => (
  <div className="row wrap gap-8" role="search" aria-label="Saring pengiriman">
    <SearchField
      label="Cari nomor"
      placeholder="Cari nomor"
      className={styles['search']}
      maxLength={40}
      value={search.peer ?? ''}
      error={search.peer && !filters.peer ? 'Tulis nomornya dengan lengkap.' : undefined}
      onSearch={(peer) => onChange({ peer: peer || undefined })}
    />
    <ListFilters
      title="Saring pengiriman"
      count={[filters.state, filters.type, rangeOf(search)].filter(Boolean).length}
      onReset={() => onChange(noFilters)}
      filters={[
        {
          label: 'Status',
          options: stateOptions,
          value: filters.state,
          onChange: (state) => onChange({ state }),
        },
        {
          label: 'Peristiwa',
          options: typeOptions,
          value: filters.type,
          onChange: (type) => onChange({ type }),
        },
        (hideLabel) => (
          <DatePicker
            label="Tanggal (WIB)"
            labels={dateWords}
            hideLabel={hideLabel}
            value={rangeOf(search)}
            max={civilDate(new Date())}
            onChange={(range) => onChange({ from: range?.from, to: range?.to })}
          />
        ),
      ]}
    />
  </div>
);

type Which = 'parked' | 'all';

const whichOptions = [
  { value: 'parked', label: 'Hanya yang dihentikan' },
  { value: 'all', label: 'Semua, juga yang sudah terkirim' },
];

type Period = DateRange & { which: Which };

/** The number of deliveries to replay: exact up to a page, beyond that only that there are more. */
function useCount(tokenId: string, { from, to, which }: Period): number | undefined {
  const { data } = useQuery({
    queryKey: [listDeliveries.name, 'count', { tokenId, from, to, which }],
    enabled: which === 'parked',
    queryFn: async ({ signal }) => {
      const input = { token_id: tokenId, page: 1, start: 0, state: 'parked', from, to } as const;
      const { rows, count } = await perform(listDeliveries, input, { signal });
      return Math.max(rows.length, count);
    },
  });
  return data;
}

function wordsFor(which: Which, count: number | undefined): string {
  const most = `Paling banyak ${formatNumber(REPLAY_MAX)} sekaligus.`;
  if (which === 'all') {
    return `Semua peristiwa pada hari-hari itu dikirim sekali lagi dengan webhook-id yang sama: server Anda harus mengenali yang sudah diterima. ${most}`;
  }
  if (count === undefined) return 'Menghitung…';
  if (count === 0) return 'Tidak ada yang dihentikan pada hari-hari itu.';
  const many = count < PAGE_SIZE ? `${count} pengiriman` : `${PAGE_SIZE} pengiriman atau lebih`;
  return `${many} akan dikirim ulang, berurutan per percakapan. ${most}`;
}

type ReplayDialogProps = {
  webhook: Webhook;
  /** The list's filters: their period is proposed. */
  filters: Filters;
  onClose: () => void;
};

/** Replays the deliveries of a period, after stating which and, if known, how many. */
function ReplayDialog({ webhook, filters, onClose }: ReplayDialogProps) {
  const [today] = useState(() => civilDate(new Date()));
  const [period, setPeriod] = useState<Period>({
    from: filters.from ?? today,
    to: filters.to ?? today,
    which: 'parked',
  });
  const count = useCount(webhook.token_id, period);
  const changed = useWebhookChanged(webhook.token_id);
  const replay = useAct(replayDeliveries, {
    onSuccess: ({ replayed, more }) => {
      changed();
      onClose();
      const words = `${formatNumber(replayed)} peristiwa dikirim ulang.`;
      toast(more ? `${words} Ulangi untuk sisanya.` : words, { tone: 'success' });
    },
  });
  return (
    <Modal
      open
      onClose={onClose}
      title="Kirim ulang pengiriman"
      size="sm"
      footer={
        <>
          <Button variant="outline" onClick={onClose}>
            Batal
          </Button>
          <Button
            busy={replay.busy}
            onClick={() => replay.mutate({ token_id: webhook.token_id, ...period })}
          >
            Kirim ulang
          </Button>
        </>
      }
    >
      <div className={classes('stack gap-16', styles['form'])}>
        <RefusalAlert error={replay.error} />
        <DatePicker
          label="Hari peristiwa (WIB)"
          labels={dateWords}
          required
          max={today}
          value={{ from: period.from, to: period.to }}
          onChange={(range) => range && setPeriod({ ...period, ...range })}
        />
        <Select
          label="Yang mana"
          options={whichOptions}
          value={period.which}
          onChange={({ target }) =>
            setPeriod({ ...period, which: target.value === 'all' ? 'all' : 'parked' })
          }
        />
        <p className="measure muted" aria-live="polite">
          {wordsFor(period.which, count)}
        </p>
      </div>
    </Modal>
  );
}
