import { useQuery } from '@tanstack/react-query';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { MessagesSquare, ArrowUp } from 'lucide-react';
import { Suspense, useMemo, useState, useEffect, type FocusEvent } from 'react';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { formatNumber } from '#contract/base/money.ts';
import {
  listMessages,
  type MessageRow,
  messageTypeLabel,
  type Failure,
  directionLabel,
  MESSAGE_QUERY_MAX,
  statusFilterLabel,
  StatusFilter,
} from '#contract/messages.ts';
import { formatDate, formatDateTime, formatTime, civilDate } from '#contract/base/time.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { useUser } from '#web/api/user.ts';
import { later } from '#web/browser/lazyComponent.ts';
import { useSelection } from '#web/features/messages/selection/useSelection.ts';
import { useSteadyRows } from '#web/features/messages/history/useSteadyRows.ts';
import { ViewBar } from '#web/features/messages/views/ViewBar.tsx';
import {
  noFilters,
  readFilters,
  type Filters,
  countSet,
  rangeOf,
  type FilterSearch,
} from '#web/features/messages/history/filters.ts';
import { MessageDrawer } from '#web/features/messages/details/MessageDrawer.tsx';
import styles from '#web/features/messages/messages.module.css';
import { classes } from '#web/ui/classes.ts';
import { ExportButton } from '#web/features/exports/exports.ts';
import { useWide, useMedia } from '#web/ui/layout/useMedia.ts';
import { PeerName } from '#web/features/messages/PeerName.tsx';
import { ScheduledFor } from '#web/features/messages/ScheduledFor.tsx';
import { StatusMark } from '#web/features/messages/StatusMark.tsx';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { hasCost, nameOf } from '#web/features/messages/labels.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { selectionParts } from '#web/ui/table/selection/SelectionBar.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column, Selection } from '#web/ui/table/tableProps.ts';
import { Money } from '#web/ui/money/Money.tsx';
import type { Token } from '#contract/tokens.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords } from '#web/ui/date/dates.ts';
import { MultiSelect } from '#web/ui/select/MultiSelect.tsx';
import { type Option, optionsOf } from '#web/ui/select/options.ts';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { ListFilters } from '#web/ui/table/list/ListFilters.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';

/** Actions on selected messages are loaded with the first selection. */
const SelectionActions = later(
  () => import('#web/features/messages/selection/SelectionActions.tsx'),
);

/** Below this width, only the details show the token. */
const ROOMY = '(min-width: 1200px)';

const columns = (zone: string): readonly Column<MessageRow>[] => [
  {
    id: 'created_at',
    title: 'Waktu',
    sortable: true,
    width: 96,
    whole: true,
    phone: 'aside',
    cell: (message) => <DateTime message={message} zone={zone} />,
  },
  {
    id: 'peer',
    title: 'Nomor',
    width: 172,
    whole: true,
    phone: 'title',
    cell: ({ peer, peer_name }) => <PeerName peer={peer} name={peer_name} />,
  },
  {
    id: 'token',
    title: 'Token',
    width: 118,
    phone: 'hidden',
    cell: ({ token }) => <bdi>{token.name}</bdi>,
  },
  {
    id: 'excerpt',
    title: 'Isi',
    width: 240,
    phone: 'line',
    cell: (message) => (
      <span className="block truncate">
        {message.type !== 'text' && (
          <span className={classes('tiny muted strong rounded-sm sunken', styles['type'])}>
            {messageTypeLabel[message.type]}
          </span>
        )}
        <bdi>{message.excerpt}</bdi>
      </span>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    width: 168,
    whole: true,
    phone: 'note',
    cell: (message) => (
      <>
        <StatusMark status={message.status} />
        <ScheduledFor message={message} zone={zone} />
        <FailedFor message={message} />
      </>
    ),
  },
  {
    id: 'price',
    title: 'Biaya',
    width: 84,
    align: 'end',
    whole: true,
    phone: 'fact',
    fills: hasCost,
    cell: (message) => hasCost(message) && <Money amount={message.price} />,
  },
];

/** The maximum number of messages in a search (docs/wire.md#lists). */
const SEARCH_MAX = 10_000;

const DateTime = ({ message, zone }: { message: MessageRow; zone: string }) => (
  <span
    className={classes('regular num nowrap', styles['time'])}
    title={formatDateTime(message.created_at, zone)}
  >
    {formatTime(message.created_at, zone)}
    <span className="sr-only">, pesan {nameOf(message)}</span>
  </span>
);

function useMessages() {
  const search = useSearch('/message-history');
  const filters = readFilters(search);
  const { view, onView } = useAddressView('/message-history', { sorts: ['created_at'], top: true });
  const list = useList(listMessages, filters, view);
  const { reading, handlers } = useReading();
  const [isChoosing, setChoosing] = useState(false);
  const isFirst = view.page === 0;
  const { rows, news, show } = useSteadyRows(list.table.rows, {
    request: JSON.stringify([filters, view]),
    isThere: !list.table.busy && !list.table.loading,
    held: !list.error && (!isFirst || reading || isChoosing || search.open !== undefined),
  });
  const selection = useSelection(rows);
  // One's own change is shown, wherever the pointer is.
  const afterChange = async () => {
    selection.clear();
    const { data } = await list.refetch();
    if (isFirst && data) show(data.rows);
  };
  if (isChoosing !== selection.keys.size > 0) setChoosing(selection.keys.size > 0);
  return {
    search,
    filters,
    list,
    selection,
    rows,
    show: () => show(),
    afterChange,
    onView,
    table: { ...list.table, rows },
    readingHandlers: handlers,
    news: isFirst && view.sort?.sort_type !== 'asc' ? news : 0,
  };
}

type Change = ReturnType<typeof useSearch<'/message-history'>>;

const go = (change: Change, replace = false) =>
  void navigate({ to: '/message-history', change, replace });
const openAt = (open: string | undefined, replace = false) =>
  void navigate({ to: '/message-history', change: { open }, resetScroll: false, replace });

export function MessageTable({ onSend }: { onSend: () => void }) {
  const zone = useUser().timezone;
  const tokens = useQuery(allTokensQuery);
  const roomy = useMedia(ROOMY);
  const { search, filters, list, selection, rows, table, ...more } = useMessages();
  const shown = useMemo(
    () => columns(zone).filter(({ id }) => roomy || id !== 'token'),
    [zone, roomy],
  );
  const showNews = () => {
    more.show();
    window.scrollTo(0, 0);
  };
  const filtered = Object.keys(filters).length > 0;
  const searched = list.data?.searched;
  const isCut = filters.q !== undefined && (table.totalPages ?? 0) * PAGE_SIZE >= SEARCH_MAX;
  return (
    <>
      <div className={styles['top']}>
        <ViewBar search={search}>
          <div className="ms-auto">
            <ExportAll filters={filters} list={list} />
          </div>
        </ViewBar>
        <FilterBar
          search={search}
          filters={filters}
          tokens={tokens.data ?? []}
          onChange={(next) => go({ ...next, page: undefined }, true)}
        />
      </div>
      {(isCut || searched) && (
        <p className="mb-12 small muted">
          {searched
            ? `Dipilih dari ${formatNumber(searched)} pesan pertama yang cocok dengan pencarian. `
            : 'Ditampilkan 10.000 pesan pertama yang cocok. '}
          Persempit tanggalnya, atau ekspor untuk semuanya.
        </p>
      )}
      <NewRows count={more.news} onShow={showNews} />
      <div {...more.readingHandlers}>
        <DataTable
          {...table}
          caption="Pesan, yang terbaru lebih dulu kecuali diurutkan lain"
          columns={shown}
          rowKey={({ id }) => id}
          group={({ created_at }) => formatDate(created_at, zone)}
          onView={more.onView}
          onOpen={({ id }) => openAt(id)}
          openKey={search.open}
          selection={selectionOf(selection, { zone, onDone: () => void more.afterChange() })}
          empty={
            <NoRows list={list} onReset={filtered && (() => go({ ...noFilters, page: undefined }))}>
              <NoMessages onSend={onSend} />
            </NoRows>
          }
        />
      </div>
      <MessageDrawer
        id={search.open?.startsWith('msg_') ? search.open : undefined}
        ids={rows.map(({ id }) => id)}
        ready={rows.length > 0}
        onStep={(id) => openAt(id, true)}
        onClose={() => openAt(undefined)}
      />
    </>
  );
}

const NoMessages = ({ onSend }: { onSend: () => void }) => (
  <EmptyState
    icon={<MessagesSquare size={24} />}
    title="Belum ada pesan"
    action={
      <Button variant="subtle" onClick={onSend}>
        Kirim pesan pertama
      </Button>
    }
  >
    Pesan yang Anda kirim dan terima akan tercatat di sini.
  </EmptyState>
);

type ExportAllProps = { filters: Filters; list: ReturnType<typeof useMessages>['list'] };

/**
 * Exports all filtered messages, of all pages. It has one place in the tree at any width: its dialog stays open when a
 * phone is rotated.
 */
function ExportAll({ filters, list }: ExportAllProps) {
  const wide = useWide();
  const { totalPages, view } = list.table;
  // A search is counted only as far as people page.
  const count = filters.q === undefined && totalPages ? { count: totalPages * PAGE_SIZE } : {};
  const order = view.sort?.sort_type === 'asc' ? { sort_type: 'asc' as const } : {};
  return (
    <ExportButton
      what={{ kind: 'messages', input: { ...filters, ...order }, ...count }}
      words="Ekspor"
      size={wide ? 'sm' : 'md'}
      square={!wide}
      hasKey
    />
  );
}

const selectionOf = (
  { keys, choose, messages }: ReturnType<typeof useSelection>,
  { zone, onDone }: { zone: string; onDone: () => void },
): Selection<MessageRow> => ({
  pieces: selectionParts,
  chosen: keys,
  onChoose: choose,
  nameOf: (message) => `${nameOf(message)}, ${formatDateTime(message.created_at, zone)}`,
  actions: (
    <Suspense>
      <SelectionActions messages={messages} onDone={onDone} />
    </Suspense>
  ),
});

/** Failures in a few words that fit a column; the details say it in full, with what to do. */
const failureWords: Record<Failure, string> = {
  not_on_whatsapp: 'Tidak ada di WhatsApp',
  blocked: 'Nomor Anda diblokir',
  rate_limited: 'Terlalu cepat',
  not_linked: 'Nomor terputus',
  no_answer: 'Jaringan tidak menjawab',
  rejected: 'Isinya ditolak jaringan',
  opted_out: 'Penerima minta berhenti',
  media_unreachable: 'Berkas gagal diambil',
  media_refused: 'Berkasnya ditolak',
  window_closed: 'Batas 24 jam terlewat',
  network_declined: 'Ditahan WhatsApp',
  template_refused: 'Templatnya ditolak',
  network_billing: 'Tagihan Meta bermasalah',
  network_access: 'Token akses ditolak',
  number_restricted: 'Nomor Anda dibatasi',
  unexplained: 'Ditolak tanpa alasan',
};

type Props = { message: Pick<MessageRow, 'status' | 'failure'> };

const FailedFor = ({ message: { status, failure } }: Props) =>
  status === 'failed' &&
  failure && <span className="block tiny muted num ws-normal">{failureWords[failure]}</span>;

type NewRowsProps = { count: number; onShow: () => void };

/** The notice of new messages above those being read; it takes no space, so that nothing moves. */
const NewRows = ({ count, onShow }: NewRowsProps) => (
  <div className={classes('grid justify-items-center', styles['place'])} role="status">
    {count > 0 && (
      <button
        type="button"
        className="inline-flex align-center gap-6 px-12 solid-primary shadow small strong num nowrap hover-primary rounded-full min-h-36 touch"
        onClick={onShow}
      >
        <ArrowUp size={16} />
        {count >= PAGE_SIZE ? `${PAGE_SIZE}+` : count} pesan baru
      </button>
    )}
  </div>
);

/** Scrolled further than this, the person has left the top of the list. */
const TOP_PX = 24;

/**
 * Whether a list is being read: the pointer or the focus is on it, or the page is scrolled.
 *
 * @returns also the handlers of the list's element.
 */
function useReading() {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  useEffect(() => {
    const look = () => setScrolled(window.scrollY > TOP_PX);
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  const handlers = {
    onPointerEnter: ({ pointerType }: { pointerType: string }) =>
      setPointed(pointerType !== 'touch'),
    onPointerLeave: () => setPointed(false),
    onFocus: () => setFocused(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
      setFocused(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)),
  };
  return { reading: pointed || focused || scrolled, handlers };
}

const statusOptions: readonly Option[] = StatusFilter().options.map((value) => ({
  value,
  label: statusFilterLabel(value),
}));
const typeOptions = optionsOf('Semua jenis', messageTypeLabel);
const directionOptions = optionsOf('Semua arah', directionLabel);

type FilterBarProps = {
  search: FilterSearch;
  filters: Filters;
  tokens: readonly Token[];
  onChange: (next: FilterSearch) => void;
};

const bar = classes('row wrap gap-8 mb-16', styles['bar']);

function FilterBar({ search, filters, tokens, onChange }: FilterBarProps) {
  const tokenOptions: readonly Option[] = [
    { value: '', label: 'Semua token' },
    ...tokens.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <div className={bar} role="search" aria-label="Saring pesan">
      <SearchField
        label="Cari nomor, nama, atau kata"
        placeholder="Nomor, nama, atau kata"
        className={styles['search']}
        maxLength={MESSAGE_QUERY_MAX}
        value={search.q ?? ''}
        onSearch={(q) => onChange({ q: q || undefined })}
      />
      <ListFilters
        title="Saring pesan"
        count={countSet(filters)}
        onReset={() => onChange(noFilters)}
        filters={[
          (hideLabel) => (
            <DatePicker
              label="Tanggal"
              labels={dateWords}
              hideLabel={hideLabel}
              value={rangeOf(search)}
              max={civilDate(new Date())}
              onChange={(range) => onChange({ from: range?.from, to: range?.to })}
            />
          ),
          (hideLabel) => (
            <MultiSelect
              label="Status"
              hideLabel={hideLabel}
              none="Semua status"
              options={statusOptions}
              value={filters.status ?? []}
              onChange={(status) => onChange({ status: status.length > 0 ? status : undefined })}
            />
          ),
          {
            label: 'Arah',
            options: directionOptions,
            value: filters.direction,
            onChange: (direction) => onChange({ direction }),
          },
          (hideLabel) =>
            (tokens.length > 1 || filters.token_id !== undefined) && (
              <SelectOne
                label="Token"
                hideLabel={hideLabel}
                options={tokenOptions}
                value={filters.token_id ?? ''}
                onChange={(id) => onChange({ token: id || undefined })}
              />
            ),
          {
            label: 'Jenis',
            options: typeOptions,
            value: filters.type,
            onChange: (type) => onChange({ type }),
          },
        ]}
      />
    </div>
  );
}
