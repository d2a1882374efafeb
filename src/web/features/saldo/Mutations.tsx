import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { formatNumber } from '#contract/money.ts';
import { EntryKind, entryKindLabel, listMutations, type Mutation } from '#contract/saldo.ts';
import { sentenceOf } from '#web/client/errors.ts';
import { useList } from '#web/client/list.ts';
import styles from '#web/features/saldo/Mutations.module.css';
import { When } from '#web/features/shell/When.tsx';
import { Button, LinkButton } from '#web/ui/Button.tsx';
import { type Column, DataTable, type TableView } from '#web/ui/tables/DataTable.tsx';
import { DatePicker } from '#web/ui/fields/DatePicker.tsx';
import { WentWrong } from '#web/ui/EmptyState.tsx';
import { Money } from '#web/ui/Money.tsx';
import { Panel } from '#web/ui/Panel.tsx';
import { dateWords } from '#web/ui/rules/dates.ts';
import { Select } from '#web/ui/fields/Select.tsx';

const route = getRouteApi('/app/saldo');

const kinds = [
  { value: '', label: 'Semua jenis' },
  ...EntryKind.options.map((kind) => ({ value: kind, label: entryKindLabel[kind] })),
];

const columns: readonly Column<Mutation>[] = [
  {
    id: 'created_at',
    title: 'Waktu',
    sortable: true,
    width: 170,
    phone: 'line',
    cell: ({ created_at }) => <When at={created_at} />,
  },
  {
    id: 'kind',
    title: 'Keterangan',
    width: 280,
    phone: 'title',
    cell: (row) => <What row={row} />,
  },
  {
    id: 'amount',
    title: 'Tersedia',
    align: 'end',
    phone: 'aside',
    cell: ({ amount }) =>
      amount === 0 ? <Unmoved what="Saldo tersedia" /> : <Money amount={amount} signed />,
  },
  {
    id: 'held_amount',
    title: 'Tertahan',
    align: 'end',
    phone: 'note',
    cell: ({ held_amount }) => (
      <span className={styles['held']}>
        <span className={styles['heldWord']}>Tertahan </span>
        {held_amount === 0 ? (
          <Unmoved what="Saldo tertahan" />
        ) : (
          <>
            {held_amount > 0 && '+'}
            <Money amount={held_amount} />
          </>
        )}
      </span>
    ),
  },
  {
    id: 'available_after',
    title: 'Saldo setelahnya',
    align: 'end',
    phone: 'hidden',
    cell: ({ available_after, held_after }) => (
      <span className={styles['after']}>
        <Money amount={available_after} />
        {held_after > 0 && (
          <span className={styles['small']}>
            tertahan <Money amount={held_after} />
          </span>
        )}
      </span>
    ),
  },
];

/** The statement: every change of the balance, with its filters in the address. */
export function Mutations() {
  const { page = 0, sort_by, sort_type = 'desc', from, to, kind } = route.useSearch();
  const navigate = useNavigate({ from: '/saldo' });
  const known = EntryKind.options.find((one) => one === kind);
  const view: TableView = {
    page,
    sort: sort_by === 'created_at' ? { sort_by, sort_type } : undefined,
  };
  const range = from && to ? { from, to } : null;
  const filters = { from: range?.from, to: range?.to, kind: known };
  const list = useList(listMutations, filters, view);
  const filtered = range !== null || known !== undefined;

  type Change = { page?: number; from?: string; to?: string; kind?: string };
  const go = (change: { [K in keyof Change]: Change[K] | undefined }) =>
    void navigate({
      search: (before) => ({ ...before, page: undefined, ...change }),
      resetScroll: false,
    });

  return (
    <Panel title="Mutasi">
      <div className={styles['filters']}>
        <DatePicker
          label="Tanggal"
          labels={dateWords}
          hideLabel
          value={range}
          onChange={(chosen) => go({ from: chosen?.from, to: chosen?.to })}
        />
        <Select
          label="Jenis mutasi"
          hideLabel
          options={kinds}
          value={known ?? ''}
          onChange={(event) => go({ kind: event.target.value || undefined })}
        />
        {filtered && (
          <Button
            variant="subtle"
            tone="neutral"
            onClick={() => go({ from: undefined, to: undefined, kind: undefined })}
          >
            Hapus filter
          </Button>
        )}
      </div>
      <DataTable
        caption="Mutasi saldo"
        columns={columns}
        rowKey={(row) => String(row.seq)}
        {...list.table}
        onView={({ page: next, sort }, { replace } = { replace: false }) =>
          void navigate({
            search: (before) => ({ ...before, page: next || undefined, ...sort }),
            resetScroll: false,
            replace,
          })
        }
        empty={
          <Nothing
            error={list.error}
            filtered={filtered}
            onRetry={() => void list.refetch()}
            onReset={() => go({ from: undefined, to: undefined, kind: undefined })}
          />
        }
      />
    </Panel>
  );
}

type NothingProps = {
  error: Error | null;
  filtered: boolean;
  onRetry: () => void;
  onReset: () => void;
};

function Nothing({ error, filtered, onRetry, onReset }: NothingProps) {
  if (error) return <WentWrong message={sentenceOf(error)} onRetry={onRetry} />;
  if (filtered) {
    return (
      <Button variant="subtle" size="sm" onClick={onReset}>
        Hapus filter
      </Button>
    );
  }
  return (
    <>
      <p className={styles['nothing']}>Setiap isi saldo dan biaya pesan akan tercatat di sini.</p>
      <LinkButton to="/saldo" search={{ new: '1' }} resetScroll={false} variant="subtle" size="sm">
        Isi saldo
      </LinkButton>
    </>
  );
}

function What({ row: { kind, items, memo, topup_id } }: { row: Mutation }) {
  const counted = items > 1 ? `${formatNumber(items)} pesan` : undefined;
  const more = memo === entryKindLabel[kind] ? null : memo;
  return (
    <span className={styles['what']}>
      {topup_id ? (
        <Link
          to="/saldo"
          search={(before) => ({ ...before, open: topup_id, new: undefined })}
          resetScroll={false}
        >
          {entryKindLabel[kind]}
        </Link>
      ) : (
        entryKindLabel[kind]
      )}
      {(counted || more) && (
        <span className={styles['small']}>{[counted, more].filter(Boolean).join(' · ')}</span>
      )}
    </span>
  );
}

/** A dash, for a part of the balance that stayed as it was. */
const Unmoved = ({ what }: { what: string }) => (
  <span className={styles['none']}>
    <span aria-hidden="true">–</span>
    <span className="sr-only">{what} tidak berubah</span>
  </span>
);
