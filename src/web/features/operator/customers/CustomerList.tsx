import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listPlanDetails } from '#contract/operator/books.ts';
import {
  type FoundCustomer,
  CustomerState,
  SaldoRange,
  customerStateLabel,
  findCustomers,
} from '#contract/operator/customers.ts';
import { subscriptionStatusLabel } from '#contract/billing.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import styles from '#web/features/operator/customers/customers.module.css';
import { go } from '#web/features/operator/customers/go.ts';
import { stateTone } from '#web/features/operator/customers/states.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { TextField } from '#web/ui/text/TextField.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const foundLabel: Record<NonNullable<FoundCustomer['found']>['kind'], string> = {
  message: 'Pesan ini',
  token: 'Token ini',
  topup: 'Isi saldo ini',
  invoice: 'Tagihan ini',
};

const columns: readonly Column<FoundCustomer>[] = [
  {
    id: 'name',
    title: 'Pelanggan',
    width: 240,
    sortable: true,
    phone: 'title',
    cell: ({ name, found }) => (
      <span className={styles['name']}>
        {name}
        {found && <span className={styles['found']}>{foundLabel[found.kind]} miliknya</span>}
      </span>
    ),
  },
  {
    id: 'phone',
    title: 'Nomor',
    width: 170,
    phone: 'line',
    cell: ({ phone }) => <span className="num">{phone || '—'}</span>,
  },
  {
    id: 'plan',
    title: 'Paket',
    width: 150,
    phone: 'fact',
    cell: ({ plan }) => {
      if (!plan) return '—';
      const isPaid = plan.status === 'active' || plan.status === 'cancelled';
      return isPaid
        ? plan.name
        : `${plan.name}, ${subscriptionStatusLabel[plan.status].toLowerCase()}`;
    },
  },
  {
    id: 'available',
    title: 'Saldo',
    align: 'end',
    whole: true,
    sortable: true,
    phone: 'aside',
    cell: ({ available }) => <Money amount={available} />,
  },
  {
    id: 'created_at',
    title: 'Terdaftar',
    width: 170,
    sortable: true,
    phone: 'hidden',
    cell: ({ created_at }) => <DateTime at={created_at} />,
  },
  {
    id: 'state',
    title: 'Status',
    width: 150,
    phone: 'note',
    cell: ({ state }) => (
      <StatusChip tone={stateTone[state]}>{customerStateLabel[state]}</StatusChip>
    ),
  },
];

const states = [
  { value: '', label: 'Semua status' },
  ...CustomerState().options.map((value) => ({ value, label: customerStateLabel[value] })),
];

const saldos = [
  { value: '', label: 'Semua saldo' },
  { value: 'empty', label: 'Saldo habis' },
  { value: 'low', label: 'Di bawah Rp 50.000' },
  { value: 'ample', label: 'Rp 50.000 ke atas' },
];

/** The filters of the address; invalid ones are dropped. */
function useFilters() {
  const { q, state, plan, saldo } = useSearch('/operator/pelanggan');
  const read = { state: CustomerState().safeParse(state), saldo: SaldoRange().safeParse(saldo) };
  return {
    ...(q !== undefined && { q }),
    ...(read.state.success && { state: read.state.data }),
    ...(plan !== undefined && { plan }),
    ...(read.saldo.success && { saldo: read.saldo.data }),
  };
}

const sorts = columns.filter((one) => one.sortable).map(({ id }) => id);

const noFilters = {
  q: undefined,
  state: undefined,
  plan: undefined,
  saldo: undefined,
  page: undefined,
};

export function CustomerList() {
  const { view, onView } = useAddressView('/operator/pelanggan', { sorts, order: 'asc' });
  const filters = useFilters();
  const list = useList(findCustomers, filters, view);
  const open = ({ account_id, found }: FoundCustomer) =>
    go({ open: account_id, ...(found && { [found.kind]: found.id }) }, { top: true });
  return (
    <OperatorFrame title="Pelanggan" context="Cari dengan apa pun yang disebut pelanggan.">
      <Panel>
        <Search key={filters.q ?? ''} q={filters.q ?? ''} />
        <Filters {...filters} />
        <DataTable
          caption="Pelanggan"
          columns={columns}
          rowKey={(row) => row.account_id}
          {...list.table}
          onOpen={open}
          onView={onView}
          empty={
            <NoRows
              list={list}
              reset="Hapus pencarian dan filter"
              onReset={Object.keys(filters).length > 0 && (() => go(noFilters))}
            >
              <EmptyState title="Belum ada pelanggan">
                Pelanggan tampil di sini setelah mendaftar.
              </EmptyState>
            </NoRows>
          }
        />
      </Panel>
    </OperatorFrame>
  );
}

/** Searches on Enter: each letter would be a search through all customers. */
function Search({ q }: { q: string }) {
  const [typed, setTyped] = useState(q);
  const ask = (words: string) => go({ q: words.trim() || undefined, page: undefined });
  return (
    <form
      role="search"
      className={styles['search']}
      onSubmit={(event) => {
        event.preventDefault();
        ask(typed);
      }}
    >
      <TextField
        label="Cari pelanggan"
        name="q"
        type="search"
        autoComplete="off"
        maxLength={100}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onClear={() => ask('')}
        help="Nama, nomor, ID pesan, nomor tagihan, ID isi saldo, atau empat huruf akhir kunci; lalu Enter."
      />
    </form>
  );
}

type FiltersProps = { state?: string; plan?: string; saldo?: string };

function Filters({ state = '', plan = '', saldo = '' }: FiltersProps) {
  const { data } = useQuery(actQuery(listPlanDetails, {}));
  const plans = [
    { value: '', label: 'Semua paket' },
    ...(data?.plans ?? []).map(({ code, name }) => ({ value: code, label: name })),
  ];
  const choose = (field: 'state' | 'plan' | 'saldo') => ({
    onChange: ({ target }: { target: { value: string } }) =>
      go({ [field]: target.value || undefined, page: undefined }),
  });
  return (
    <div className={styles['filters']}>
      <Select label="Status" hideLabel options={states} value={state} {...choose('state')} />
      <Select label="Paket" hideLabel options={plans} value={plan} {...choose('plan')} />
      <Select label="Saldo" hideLabel options={saldos} value={saldo} {...choose('saldo')} />
    </div>
  );
}
