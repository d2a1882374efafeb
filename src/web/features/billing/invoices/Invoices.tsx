import { useMemo } from 'react';
import {
  type Invoice,
  InvoiceKind,
  invoiceKindLabel,
  InvoiceStatus,
  invoiceStatusLabel,
  listInvoices,
} from '#contract/billing.ts';
import { formatDate, formatDateTime } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { invoiceTone, nameOf } from '#web/features/billing/labels.ts';
import { formatPeriod } from '#web/features/billing/plan/usage.ts';
import { TopupButton } from '#web/features/saldo/saldo.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { optionsOf } from '#web/ui/select/options.ts';
import { ListFilters } from '#web/ui/table/list/ListFilters.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';

const statuses = optionsOf('Semua status', invoiceStatusLabel);
const kinds = optionsOf('Semua jenis', invoiceKindLabel);

const columns = (zone: string): readonly Column<Invoice>[] => [
  {
    id: 'title',
    title: 'Tagihan',
    width: 280,
    phone: 'title',
    cell: (invoice) => <What invoice={invoice} />,
  },
  {
    id: 'number',
    title: 'Nomor',
    width: 190,
    whole: true,
    phone: 'line',
    cell: (invoice) => (
      <span className={invoice.number === null ? 'faint' : 'num'}>{nameOf(invoice)}</span>
    ),
  },
  {
    id: 'created_at',
    title: 'Tanggal',
    sortable: true,
    width: 120,
    whole: true,
    phone: 'fact',
    cell: ({ created_at: at }) => (
      <time className="num" dateTime={at.toISOString()} title={formatDateTime(at, zone)}>
        {formatDate(at, zone)}
      </time>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    width: 140,
    phone: 'note',
    cell: ({ status }) => (
      <StatusChip tone={invoiceTone[status]}>{invoiceStatusLabel[status]}</StatusChip>
    ),
  },
  {
    id: 'total',
    title: 'Jumlah',
    align: 'end',
    width: 130,
    whole: true,
    phone: 'aside',
    cell: ({ total }) => <Money amount={total} />,
  },
];

/** The changed filters; `undefined` for all. */
type Change = {
  page?: number | undefined;
  status?: string | undefined;
  kind?: string | undefined;
  open?: string | undefined;
};
const noFilter: Change = { page: undefined, status: undefined, kind: undefined };

const go = (change: Change) => void navigate({ to: '/billing', change, resetScroll: false });

export function Invoices() {
  const { open, ...search } = useSearch('/billing');
  const status = InvoiceStatus().options.find((one) => one === search.status);
  const kind = InvoiceKind().options.find((one) => one === search.kind);
  const zone = useUser().timezone;
  const shown = useMemo(() => columns(zone), [zone]);
  const { view, onView } = useAddressView('/billing', { sorts: ['created_at'] });
  const list = useList(listInvoices, { status, kind }, view);
  const set = [status, kind].filter(Boolean).length;
  return (
    <Panel
      title="Daftar tagihan"
      tools={
        <ListFilters
          title="Saring tagihan"
          count={set}
          onReset={() => go(noFilter)}
          filters={[
            {
              label: 'Status',
              options: statuses,
              value: status,
              onChange: (value) => go({ page: undefined, status: value }),
            },
            {
              label: 'Jenis tagihan',
              options: kinds,
              value: kind,
              onChange: (value) => go({ page: undefined, kind: value }),
            },
          ]}
        />
      }
    >
      <DataTable
        caption="Tagihan"
        columns={shown}
        rowKey={({ id }) => id}
        {...list.table}
        onOpen={({ id }) => go({ open: id })}
        openKey={open}
        onView={onView}
        empty={
          <NoRows list={list} onReset={set > 0 && (() => go(noFilter))}>
            <NoInvoices />
          </NoRows>
        }
      />
    </Panel>
  );
}

const NoInvoices = () => (
  <EmptyState title="Belum ada tagihan" action={<TopupButton variant="subtle" />}>
    Setiap isi saldo dan pembayaran paket mendapat tagihan, dan tampil di sini.
  </EmptyState>
);

const What = ({ invoice }: { invoice: Invoice }) => (
  <span className="stack ws-normal">
    {invoice.title}
    {invoice.period_start && invoice.period_end && (
      <span className="small faint regular num">
        {formatPeriod(invoice.period_start, invoice.period_end)}
      </span>
    )}
  </span>
);
