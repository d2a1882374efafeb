import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listPlanDetails } from '#contract/operator/books.ts';
import {
  type FoundCustomer,
  customerStateLabel,
  findCustomers,
} from '#contract/operator/customers.ts';
import { subscriptionStatusLabel } from '#contract/billing.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { CustomerPage } from '#web/features/operator/customers/CustomerPage.tsx';
import page from '#web/features/operator/operator.module.css';
import { goCustomers, stateTone } from '#web/features/operator/customers/customers.ts';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { momentColumn, OperatorList, optionsOf } from '#web/features/operator/OperatorList.tsx';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { TextField } from '#web/ui/text/TextField.tsx';

/** Route `/operator/pelanggan`: the customers; or with `open`, one of them. */
export function CustomersPage() {
  const { open } = useSearch('/operator/pelanggan');
  return open === undefined ? <CustomerList /> : <CustomerPage key={open} accountId={open} />;
}

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
      <span className={page['what']}>
        {name}
        {found && <span className="small faint regular">{foundLabel[found.kind]} miliknya</span>}
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
  momentColumn({
    id: 'created_at',
    title: 'Terdaftar',
    sortable: true,
    phone: 'hidden',
    at: ({ created_at }) => created_at,
  }),
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

const states = optionsOf('Semua status', customerStateLabel);

const saldos = [
  { value: '', label: 'Semua saldo' },
  { value: 'empty', label: 'Saldo habis' },
  { value: 'low', label: 'Di bawah Rp 50.000' },
  { value: 'ample', label: 'Rp 50.000 ke atas' },
];

function CustomerList() {
  const { q, state, plan, saldo } = useSearch('/operator/pelanggan');
  const { data } = useQuery(actQuery(listPlanDetails, {}));
  const plans = [
    { value: '', label: 'Semua paket' },
    ...(data?.plans ?? []).map(({ code, name }) => ({ value: code, label: name })),
  ];
  return (
    <OperatorFrame title="Pelanggan" context="Cari dengan apa pun yang disebut pelanggan.">
      <OperatorList
        to="/operator/pelanggan"
        act={findCustomers}
        input={{ q, state, plan, saldo }}
        caption="Pelanggan"
        columns={columns}
        rowKey={({ account_id }) => account_id}
        search={<Search key={q ?? ''} q={q ?? ''} />}
        filters={[
          { name: 'state', label: 'Status', options: states },
          { name: 'plan', label: 'Paket', options: plans },
          { name: 'saldo', label: 'Saldo', options: saldos },
        ]}
        resets={['q', 'state', 'plan', 'saldo']}
        reset="Hapus pencarian dan filter"
        empty={{
          title: 'Belum ada pelanggan',
          text: 'Pelanggan tampil di sini setelah mendaftar.',
        }}
        onOpen={({ account_id, found }) =>
          goCustomers({ open: account_id, ...(found && { [found.kind]: found.id }) }, { top: true })
        }
      />
    </OperatorFrame>
  );
}

/** Searches on Enter: each letter would be a search through all customers. */
function Search({ q }: { q: string }) {
  const [typed, setTyped] = useState(q);
  const ask = (words: string) => goCustomers({ q: words.trim() || undefined, page: undefined });
  return (
    <form
      role="search"
      className="max-w-672 mb-12"
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
