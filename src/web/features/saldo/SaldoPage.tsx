import { useQuery } from '@tanstack/react-query';
import { Plus, ChevronDown, Download, ChartNoAxesColumn } from 'lucide-react';
import { LowSaldo } from '#web/features/saldo/alert/LowSaldo.tsx';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { TOPUP_LIMIT_ID, topupLimitOf } from '#web/features/saldo/topups/limit.ts';
import { LimitReason, TopupButton } from '#web/features/saldo/topups/TopupButton.tsx';
import { TopupDialog } from '#web/features/saldo/topups/TopupDialog.tsx';
import { Topups } from '#web/features/saldo/topups/Topups.tsx';
import { usageQuery } from '#web/features/saldo/usage/usageQuery.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { formatRupiah, formatNumber } from '#contract/base/money.ts';
import type { SaldoSummary } from '#contract/saldo-summary.ts';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import {
  type Pace,
  entryKindLabel,
  MutationKind,
  mutationKindLabel,
  listMutations,
  type Mutation,
  listMutationMessages,
  type MutationMessage,
  type SaldoUsage,
} from '#contract/saldo.ts';
import { messagesFor } from '#web/features/saldo/topups/topups.ts';
import { lastsFor, barsOf, sumsOf } from '#web/features/saldo/usage/usage.ts';
import { WentWrong, EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { Suspense, useMemo, useState } from 'react';
import { later } from '#web/browser/lazyComponent.ts';
import { formatDate, formatDateTime, formatTime } from '#contract/base/time.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { ListFilters } from '#web/ui/table/list/ListFilters.tsx';
import { useList } from '#web/ui/table/list/useList.ts';
import { useUser } from '#web/api/user.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { type DateRange, dateWords, isCivilDate } from '#web/ui/date/dates.ts';
import { Pagination } from '#web/ui/pagination/Pagination.tsx';
import { Timeline, type TimelineEntry } from '#web/ui/status/Timeline.tsx';
import { type Series, SmallBars } from '#web/ui/chart/SmallBars.tsx';

/** Route `/saldo`. On phones, whose top bar shows the balance, the statement is first. */
export function SaldoPage() {
  const saldo = useQuery(saldoQuery);
  const usage = useQuery(usageQuery);
  const wide = useWide();
  const notices = saldo.data && <SaldoNotices saldo={saldo.data} />;
  // On phones a frozen balance is more important than the statement.
  const isCalm = !wide && saldo.data?.status === 'active';
  return (
    <>
      <PageHead
        title="Saldo"
        context={wide && 'Saldo dipakai untuk mengirim pesan. Isi kapan saja, pakai sampai habis.'}
        action={<TopupButton onSaldo icon={<Plus size={18} />} />}
      />
      <div className="stack gap-32 mt-8">
        {!isCalm && notices}
        {!wide && <Mutations />}
        {isCalm && notices}
        <div className={classes('stack gap-24', styles['top'])}>
          <BalanceCard
            saldo={saldo.data}
            pace={usage.data?.pace}
            error={saldo.error}
            onRetry={() => void saldo.refetch()}
          />
          <Topups />
        </div>
        <div className={classes('stack gap-24', styles['middle'])}>
          <Usage />
          <LowSaldo />
        </div>
        {wide && <Mutations />}
      </div>
      <TopupDialog />
    </>
  );
}

function SaldoNotices({ saldo }: { saldo: SaldoSummary }) {
  const { status, available, alert_threshold: threshold, bonus_only: isBonus } = saldo;
  const limit = topupLimitOf(saldo);
  const isLow = status === 'active' && threshold !== null && available < threshold;
  return (
    <div className="grid gap-12 hide-empty">
      {limit !== undefined && (
        <Alert
          id={TOPUP_LIMIT_ID}
          state={status === 'active' ? 'info' : 'warning'}
          visible
          label={<LimitReason limit={limit} onSaldo />}
        />
      )}
      <Alert
        state="warning"
        visible={isLow}
        label={`Saldo di bawah batas ${formatRupiah(threshold ?? 0)} yang Anda atur. Isi sekarang supaya pesan tetap terkirim.`}
      />
      <Alert
        state="info"
        visible={isBonus && status === 'active'}
        label="Bonus selamat datang dapat dipakai ke nomor Anda sendiri dan nomor simulator. Isi saldo pertama kali untuk mengirim ke semua nomor."
      />
    </div>
  );
}

type Props = {
  saldo: SaldoSummary | undefined;
  pace: Pace | undefined;
  error: Error | null;
  onRetry: () => void;
};

function BalanceCard({ saldo, pace, error, onRetry }: Props) {
  if (!saldo && error) {
    return (
      <section className="card" aria-label="Saldo Anda">
        <WentWrong query={{ error, refetch: onRetry }} />
      </section>
    );
  }
  return (
    <section
      className={classes('grid gap-16 p-24 rounded-lg', styles['card'])}
      aria-label="Saldo Anda"
      aria-busy={!saldo || undefined}
    >
      <dl className="grid gap-16">
        <div>
          <dt className="small strong">Tersedia</dt>
          <dd className={classes('mt-2 heading', styles['available'])}>
            {saldo ? <Money amount={saldo.available} /> : <Skeleton width="6em" />}
          </dd>
        </div>
        <div className={classes('flex align-baseline justify-between gap-16', styles['held'])}>
          <dt className="small strong">Tertahan</dt>
          <dd className="larger strong">
            {saldo ? <Money amount={saldo.held} /> : <Skeleton width="5em" />}
          </dd>
        </div>
      </dl>
      <div className="grid gap-10">
        {saldo ? (
          <>
            <Lasting available={saldo.available} pace={pace} />
            <p className={classes('small', styles['note'])}>
              <Note saldo={saldo} />
            </p>
          </>
        ) : (
          <Skeleton width="80%" lines={2} />
        )}
      </div>
    </section>
  );
}

function Lasting({ available, pace }: { available: number; pace: Pace | undefined }) {
  if (!pace) return null;
  if (pace.state !== 'known') {
    return (
      <p className={classes('small', styles['note'])}>
        {pace.state === 'little'
          ? 'Belum cukup data untuk memperkirakan berapa hari saldo ini bertahan.'
          : 'Tidak ada pemakaian belakangan ini, jadi belum dapat diperkirakan berapa hari saldo ini bertahan.'}
      </p>
    );
  }
  const lasting = lastsFor(available, pace);
  return (
    <p className="large leading-14">
      {lasting === 'less' && 'Tidak cukup untuk sehari dengan pemakaian sekarang'}
      {lasting === 'year' && 'Cukup untuk lebih dari setahun dengan pemakaian sekarang'}
      {typeof lasting === 'number' && (
        <>
          Cukup untuk <strong>± {formatNumber(lasting)} hari</strong> dengan pemakaian sekarang
        </>
      )}
      <span className="block small">
        Rata-rata <Money amount={pace.per_day} /> sehari, dari {pace.days} hari terakhir.
      </span>
    </p>
  );
}

function Note({ saldo: { available, held, message_price: price } }: { saldo: SaldoSummary }) {
  const messages = messagesFor(available, price);
  return (
    <>
      {messages === 0 && (
        <>
          Belum cukup untuk satu pesan: <Money amount={price} /> per pesan.{' '}
        </>
      )}
      {messages !== undefined && messages > 0 && (
        <>
          Cukup untuk sekitar <strong>{formatNumber(messages)} pesan</strong>,{' '}
          <Money amount={price} /> per pesan.{' '}
        </>
      )}
      {held > 0 && 'Yang tertahan menunggu pesan terkirim; bila gagal, kembali ke saldo.'}
    </>
  );
}

const ExportDialog = later(() => import('#web/features/saldo/export/ExportDialog.tsx'));

const kinds = [
  { value: '', label: 'Semua jenis' },
  ...MutationKind().options.map((kind) => ({ value: kind, label: mutationKindLabel[kind] })),
];

const columns = (zone: string): readonly Column<Mutation>[] => [
  {
    id: 'created_at',
    title: 'Waktu',
    sortable: true,
    width: 110,
    whole: true,
    phone: 'line',
    cell: ({ created_at: at }) => (
      <time className="num" dateTime={at.toISOString()} title={formatDateTime(at, zone)}>
        {formatTime(at, zone)}
      </time>
    ),
  },
  {
    id: 'kind',
    title: 'Keterangan',
    width: 340,
    phone: 'title',
    cell: (row) => <What row={row} />,
  },
  {
    id: 'amount',
    title: 'Jumlah',
    align: 'end',
    width: 122,
    whole: true,
    phone: 'aside',
    cell: ({ amount }) => <Money amount={amount} signed />,
  },
  {
    id: 'available_after',
    title: 'Saldo setelahnya',
    align: 'end',
    width: 150,
    whole: true,
    phone: 'fact',
    cell: ({ available_after }) => <Money amount={available_after} />,
  },
];

function Mutations() {
  const { from, to, kind, line } = useSearch('/saldo');
  const known = MutationKind().options.find((one) => one === kind);
  const zone = useUser().timezone;
  const opened = useOpened(line);
  const shown = useMemo(() => columns(zone), [zone]);
  const { view, onView } = useAddressView('/saldo', { sorts: ['created_at'] });
  const wrongDay = [from, to].find((day) => day !== undefined && !isCivilDate(day));
  const range = from && to && wrongDay === undefined ? { from, to } : null;
  const input = line ? { seq: line } : { from: range?.from, to: range?.to, kind: known };
  const list = useList(listMutations, input, view);
  const filtered = range !== null || known !== undefined || line !== undefined;

  const go = (change: Change) =>
    void navigate({
      to: '/saldo',
      change: { page: undefined, ...change },
      resetScroll: false,
    });

  return (
    <Panel
      title="Mutasi"
      tools={
        <>
          <Filters
            range={range}
            kind={known}
            line={line}
            wrong={wrongDay && `Tanggal ${showWrong(wrongDay)} tidak ada. Pilih tanggal lain.`}
            onChange={go}
          />
          <Export range={range} kind={known} />
        </>
      }
    >
      <DataTable
        caption="Mutasi saldo"
        columns={shown}
        rowKey={(row) => String(row.seq)}
        group={({ created_at }) => formatDate(created_at, zone)}
        menu={(row) =>
          opens(row) && (
            <Opener row={row} open={opened.has(row.seq)} onToggle={() => opened.toggle(row.seq)} />
          )
        }
        detail={(row) => opens(row) && opened.has(row.seq) && <LineSteps line={row} />}
        {...list.table}
        onView={onView}
        empty={
          <NoRows list={list} onReset={filtered && (() => go(noFilter))}>
            <NoMutations />
          </NoRows>
        }
      />
      <p className="mt-12 small muted pretty measure">
        Satu pesan, atau satu kiriman berisi banyak pesan, menjadi satu baris. Buka barisnya untuk
        melihat kapan dananya ditahan, dipotong, atau dikembalikan.
      </p>
    </Panel>
  );
}

const NoMutations = () => (
  <EmptyState title="Belum ada mutasi" action={<TopupButton onSaldo variant="subtle" size="sm" />}>
    Setiap isi saldo dan biaya pesan akan tercatat di sini.
  </EmptyState>
);

type ExportProps = { range: DateRange | null; kind: MutationKind | undefined };

function Export({ range, kind }: ExportProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="subtle"
        tone="neutral"
        icon={<Download size={18} />}
        onClick={() => setOpen(true)}
      >
        Unduh
      </Button>
      {open && (
        <Suspense>
          <ExportDialog range={range} kind={kind} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** `2026-02-31` → `31/2/2026`, the local notation. */
const showWrong = (day: string): string => day.split('-').map(Number).toReversed().join('/');

/** The changed filters; `undefined` for all. */
type Change = Readonly<Partial<Record<'from' | 'to' | 'kind' | 'line', string | undefined>>> & {
  line?: undefined;
};
const noFilter: Change = { from: undefined, to: undefined, kind: undefined, line: undefined };

type FiltersProps = {
  range: DateRange | null;
  kind: MutationKind | undefined;
  line: number | undefined;
  wrong: string | undefined;
  onChange: (change: Change) => void;
};

const Filters = ({ range, kind, line, wrong, onChange }: FiltersProps) => (
  <ListFilters
    title="Saring mutasi"
    count={[range ?? wrong, kind, line].filter(Boolean).length}
    {...(line && { reset: `Mutasi #${line} saja, tampilkan semua` })}
    onReset={() => onChange(noFilter)}
    filters={[
      (hideLabel) => (
        <DatePicker
          label="Tanggal"
          labels={dateWords}
          hideLabel={hideLabel}
          value={range}
          error={wrong}
          onChange={(chosen) => onChange({ from: chosen?.from, to: chosen?.to, line: undefined })}
        />
      ),
      {
        label: 'Jenis mutasi',
        options: kinds,
        value: kind,
        onChange: (value) => onChange({ kind: value, line: undefined }),
      },
    ]}
  />
);

const opens = ({ kind, outcome }: Mutation): boolean => outcome !== null || kind === 'correction';

/** The title of a row: by the outcome of the money, if it was held for messages. */
function titleOf({ kind, items, outcome }: Mutation): string {
  if (!outcome) return mutationKindLabel[kind];
  if (outcome.held === items) return entryKindLabel.hold;
  return outcome.released === items ? entryKindLabel.release : entryKindLabel.capture;
}

function moreOf({ kind, items, outcome, memo }: Mutation): string {
  const some = (count: number) => count > 0 && count < items;
  const counted = (count = 0, words: string) =>
    count > 0 && (items > 1 ? `${formatNumber(count)} ${words}` : words);
  const parts = [
    items > 1 && `${formatNumber(items)} pesan`,
    outcome && some(outcome.released) && `${formatNumber(outcome.released)} dikembalikan`,
    outcome && outcome.returned > 0 && `${formatRupiah(outcome.returned)} kembali ke saldo`,
    counted(outcome?.corrected, 'dipotong kembali (koreksi)'),
    counted(outcome?.waived, 'ditanggung Kabari'),
    outcome && some(outcome.held) && `${formatNumber(outcome.held)} masih ditahan`,
    memo !== mutationKindLabel[kind] && memo,
  ];
  return parts.filter(Boolean).join(' · ');
}

function What({ row }: { row: Mutation }) {
  const { topup_id, message } = row;
  const more = moreOf(row);
  return (
    <span className="stack ws-normal">
      {topup_id ? (
        <Link
          to="/saldo"
          change={{ open: topup_id, new: undefined }}
          resetScroll={false}
          className="w-fit touch"
        >
          {titleOf(row)}
        </Link>
      ) : (
        titleOf(row)
      )}
      {message && (
        <Link
          to="/message-history"
          search={{ open: message.id }}
          className={classes('w-fit small faint regular num hover-text touch', styles['number'])}
        >
          {nameAndNumberOf(message)}
        </Link>
      )}
      {more && <span className="small faint regular">{more}</span>}
      {row.invoice_id && (
        <Link
          to="/billing"
          search={{ open: row.invoice_id }}
          className={classes('w-fit small faint regular num hover-text touch', styles['number'])}
        >
          Lihat tagihan
        </Link>
      )}
    </span>
  );
}

type OpenerProps = { row: Mutation; open: boolean; onToggle: () => void };

const Opener = ({ row, open, onToggle }: OpenerProps) => (
  <button
    type="button"
    className={classes('place-center faint size-36 rounded hover-ink', styles['opener'])}
    aria-expanded={open}
    aria-label={`Rincian ${titleOf(row)} ${row.message ? nameAndNumberOf(row.message) : moreOf(row)}`}
    onClick={onToggle}
  >
    <ChevronDown size={18} className="chevron inherit" />
  </button>
);

function useOpened(line: number | undefined) {
  const [seqs, setSeqs] = useState<ReadonlySet<number>>(new Set(line ? [line] : []));
  return {
    has: (seq: number) => seqs.has(seq),
    toggle: (seq: number) =>
      setSeqs((before) => {
        const after = new Set(before);
        if (!after.delete(seq)) after.add(seq);
        return after;
      }),
  };
}

function LineSteps({ line }: { line: Mutation }) {
  const [page, setPage] = useState(0);
  const zone = useUser().timezone;
  const list = useList(listMutationMessages, { seq: line.seq }, { page });
  const { rows, totalPages, loading } = list.table;
  if (list.error) return <WentWrong query={list} />;
  const [only] = line.items === 1 ? rows : [];
  const steps = [...heldSteps(line, zone), ...(only ? settledSteps(only, zone) : [])];
  return (
    <div className={classes('stack gap-12', styles['steps'])} aria-busy={loading || undefined}>
      {steps.length > 0 && <Timeline entries={steps} />}
      {loading && <Skeleton lines={Math.min(line.items, 3)} height={20} />}
      {only && <MessageLink id={only.message_id}>Buka pesan</MessageLink>}
      {line.items > 1 && rows.length > 0 && (
        <>
          <ul
            className={classes('grid w-full', styles['messages'])}
            aria-label="Pesan di mutasi ini"
          >
            {rows.map((row) => (
              <li key={row.message_id}>
                <MessageLink id={row.message_id}>{nameAndNumberOf(row)}</MessageLink>
                <span className={classes('flex wrap small muted gap-0 gap-x-8', styles['state'])}>
                  {stateWords[row.state]}
                  <DateTime at={row.corrected_at ?? row.settled_at} zone={zone} />
                </span>
                <Money amount={row.price} />
              </li>
            ))}
          </ul>
          <Pagination
            label="Halaman pesan di mutasi ini"
            page={page + 1}
            total={totalPages}
            onPage={(next) => setPage(next - 1)}
          />
        </>
      )}
    </div>
  );
}

const stateWords: Record<MutationMessage['state'], string> = {
  held: 'Masih ditahan',
  captured: 'Biaya dipotong',
  released: 'Dana dikembalikan',
  corrected: 'Dikembalikan, lalu dipotong kembali (koreksi)',
  waived: 'Dikembalikan; biayanya ditanggung Kabari',
};

const DateTime = ({ at, zone }: { at: Date | null; zone: string }) =>
  at && (
    <time className="faint num" dateTime={at.toISOString()}>
      {formatDateTime(at, zone)}
    </time>
  );

/** The steps of a hold; a correction begins with the outcome of its hold. */
function heldSteps(line: Mutation, zone: string): TimelineEntry[] {
  const { items, amount, outcome, created_at: at } = line;
  if (!outcome) return [];
  const held = formatRupiah(outcome.returned - amount);
  const what = items > 1 ? `${held} untuk ${formatNumber(items)} pesan` : held;
  return [
    {
      key: 'held',
      title: 'Dana ditahan',
      time: formatDateTime(at, zone),
      at,
      tone: 'primary',
      detail: `${what}. Saldo setelahnya ${formatRupiah(outcome.available_when_held)}.`,
    },
  ];
}

/** Charged, or returned; if the message had arrived after all, charged again or borne by us. */
function settledSteps(message: MutationMessage, zone: string): TimelineEntry[] {
  const { state, price, settled_at: at, corrected_at: againAt } = message;
  const step = (on: Date, after: number | null) => ({
    time: formatDateTime(on, zone),
    at: on,
    detail: `${formatRupiah(price)}. Saldo setelahnya ${formatRupiah(after ?? 0)}.`,
  });
  if (!at) return [{ key: 'settled', title: 'Menunggu pesan terkirim', pending: true }];
  const settled = { key: 'settled', ...step(at, message.available_after) };
  if (state === 'captured') {
    return [{ ...settled, title: 'Biaya dipotong dari dana tertahan', tone: 'success' }];
  }
  const back: TimelineEntry = { ...settled, title: 'Dana tertahan dikembalikan', tone: 'warning' };
  const correction: Omit<TimelineEntry, 'title'> = { key: 'again', tone: 'success' };
  if (againAt) {
    const dated = step(againAt, message.corrected_after);
    return [back, { ...correction, ...dated, title: 'Biaya dipotong kembali (koreksi)' }];
  }
  if (state !== 'waived') return [back];
  const why = 'Pesan ternyata terkirim, dan saldo tidak cukup lagi saat laporannya datang.';
  return [back, { ...correction, title: 'Biaya ditanggung Kabari', detail: why }];
}

const MessageLink = ({ id, children }: { id: string; children: string }) => (
  <Link to="/message-history" search={{ open: id }} className="w-fit num">
    {children}
  </Link>
);

const captured: Series = { key: 'captured', label: 'Biaya pesan', color: 'primary' };
const held: Series = { key: 'held', label: 'Masih ditahan', color: 'warning' };
const plan: Series = { key: 'plan', label: 'Biaya paket', color: 'info', apart: true };

function Usage() {
  const usage = useQuery(usageQuery);
  return (
    <Panel title="Pemakaian 30 hari">
      {usage.data && <Chart usage={usage.data} />}
      {!usage.data && usage.error && <WentWrong query={usage} />}
      {usage.isPending && (
        <div className="stack gap-20" aria-busy="true">
          <Skeleton width="70%" height="3em" />
          <Skeleton height={196} />
        </div>
      )}
    </Panel>
  );
}

function Chart({ usage: { days, pace } }: { usage: SaldoUsage }) {
  const sums = sumsOf(days);
  if (sums.messages + sums.plan === 0) {
    return (
      <EmptyState
        icon={<ChartNoAxesColumn size={24} />}
        title="Belum ada saldo yang terpakai dalam 30 hari terakhir."
      >
        Biaya pesan dan paket setiap hari akan tampil di sini.
      </EmptyState>
    );
  }
  const series = [captured, held, ...(sums.plan > 0 ? [plan] : [])];
  return (
    <div className="stack gap-20">
      <dl className={classes('flex wrap', styles['sums'])}>
        <div>
          <dt className="small faint">Pesan</dt>
          <dd>
            <Money amount={sums.messages} />
          </dd>
        </div>
        {sums.plan > 0 && (
          <div>
            <dt className="small faint">Paket</dt>
            <dd>
              <Money amount={sums.plan} />
            </dd>
          </div>
        )}
        {pace.state === 'known' && (
          <div>
            <dt className="small faint">Rata-rata pesan per hari</dt>
            <dd>
              <Money amount={pace.per_day} />
            </dd>
          </div>
        )}
      </dl>
      {sums.messages > 0 && (
        <SmallBars
          title="Saldo terpakai per hari, dalam rupiah"
          series={series}
          bars={barsOf(days)}
          format={formatRupiah}
        />
      )}
      {sums.plan > 0 && (
        <p className="small faint">
          {sums.messages > 0
            ? 'Biaya paket tidak digambar di grafik; tanggalnya ada di tabel angkanya.'
            : 'Dalam 30 hari terakhir hanya biaya paket yang memotong saldo. Tanggalnya ada di mutasi.'}
        </p>
      )}
    </div>
  );
}
