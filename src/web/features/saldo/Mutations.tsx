import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { ChevronDown, Download } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { later } from '#web/browser/lazyComponent.ts';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import {
  entryKindLabel,
  MutationKind,
  mutationKindLabel,
  listMutations,
  type Mutation,
} from '#contract/saldo.ts';
import { formatDate, formatDateTime, formatTime } from '#contract/base/time.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { ListFilters } from '#web/ui/table/list/ListFilters.tsx';
import { useList } from '#web/ui/table/list/useList.ts';
import { useUser } from '#web/api/user.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import { LineSteps } from '#web/features/saldo/LineSteps.tsx';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { TopupButton } from '#web/features/saldo/topups/TopupButton.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { type DateRange, dateWords, isCivilDate } from '#web/ui/date/dates.ts';
import { Select } from '#web/ui/select/Select.tsx';

const ExportDialog = later(
  async () => (await import('#web/features/saldo/export/ExportDialog.tsx')).ExportDialog,
);

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

export function Mutations() {
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
  >
    {(hideLabel) => (
      <>
        <DatePicker
          label="Tanggal"
          labels={dateWords}
          hideLabel={hideLabel}
          value={range}
          error={wrong}
          onChange={(chosen) => onChange({ from: chosen?.from, to: chosen?.to, line: undefined })}
        />
        <Select
          label="Jenis mutasi"
          hideLabel={hideLabel}
          options={kinds}
          value={kind ?? ''}
          onChange={({ target }) => onChange({ kind: target.value || undefined, line: undefined })}
        />
      </>
    )}
  </ListFilters>
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
    <span className={classes('stack ws-normal', styles['what'])}>
      {topup_id ? (
        <Link to="/saldo" change={{ open: topup_id, new: undefined }} resetScroll={false}>
          {titleOf(row)}
        </Link>
      ) : (
        titleOf(row)
      )}
      {message && (
        <Link
          to="/message-history"
          search={{ open: message.id }}
          className={classes('small faint regular num hover-text', styles['number'])}
        >
          {nameAndNumberOf(message)}
        </Link>
      )}
      {more && <span className="small faint regular">{more}</span>}
      {row.invoice_id && (
        <Link
          to="/billing"
          search={{ open: row.invoice_id }}
          className={classes('small faint regular num hover-text', styles['number'])}
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
    <ChevronDown size={18} className="chevron inherit" aria-hidden="true" />
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
