import { useState } from 'react';
import { type DeskCustomer, findCustomers, walletStatusLabel } from '#contract/operator/desk.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { CustomerDrawer } from '#web/features/operator/adjustments/CustomerDrawer.tsx';
import { Proposals } from '#web/features/operator/adjustments/Proposals.tsx';
import styles from '#web/features/operator/desk/desk.module.css';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { useList } from '#web/ui/table/useList.ts';
import { TextField } from '#web/ui/text/TextField.tsx';

const columns: readonly Column<DeskCustomer>[] = [
  { id: 'name', title: 'Pelanggan', width: 240, phone: 'title', cell: ({ name }) => name },
  {
    id: 'phone',
    title: 'Nomor',
    width: 180,
    phone: 'line',
    cell: ({ phone }) => <span className="num">{phone || '—'}</span>,
  },
  {
    id: 'available',
    title: 'Saldo',
    align: 'end',
    whole: true,
    phone: 'aside',
    cell: ({ available }) => <Money amount={available} />,
  },
  {
    id: 'held',
    title: 'Tertahan',
    align: 'end',
    whole: true,
    phone: 'fact',
    cell: ({ held }) => <Money amount={held} />,
  },
  {
    id: 'status',
    title: 'Status',
    width: 130,
    phone: 'note',
    cell: ({ status }) => (
      <StatusChip tone={status === 'active' ? 'success' : 'warning'}>
        {walletStatusLabel[status]}
      </StatusChip>
    ),
  },
];

type Change = { [K in 'page' | 'q' | 'open' | 'proposal']?: string | number | undefined };

const go = (change: Change, replace = false) =>
  void navigate({
    to: '/operator/pelanggan',
    change: change as Record<string, never>,
    resetScroll: false,
    replace,
  });

/** Route `/operator/pelanggan`: customers, what is booked for them by hand, and proposals of it. */
export function CustomersPage() {
  const { page = 0, q, open, proposal, status } = useSearch('/operator/pelanggan');
  const list = useList(findCustomers, { ...(q !== undefined && { q }) }, { page });
  return (
    <OperatorFrame
      title="Pelanggan & penyesuaian"
      context="Setiap koreksi adalah mutasi baru; yang sudah tercatat tidak pernah diubah."
    >
      <div className={styles['page']}>
        <Panel title="Pelanggan">
          <Search key={q ?? ''} q={q ?? ''} />
          <DataTable
            caption="Pelanggan"
            columns={columns}
            rowKey={(row) => row.account_id}
            {...list.table}
            onOpen={(row) => go({ open: row.account_id })}
            openKey={open}
            onView={(view, how) => go({ page: view.page || undefined }, how?.replace)}
            empty={
              list.error ? (
                <WentWrong message={sentenceOf(list.error)} onRetry={() => void list.refetch()} />
              ) : q === undefined ? (
                <p className={styles['note']}>Pelanggan tampil di sini setelah mendaftar.</p>
              ) : (
                <Button variant="subtle" size="sm" onClick={() => go({ q: undefined })}>
                  Hapus pencarian
                </Button>
              )
            }
          />
        </Panel>
        <Proposals status={status} open={proposal} onOpen={(id) => go({ proposal: id })} />
      </div>
      {open !== undefined && (
        <CustomerDrawer key={open} accountId={open} onClose={() => go({ open: undefined })} />
      )}
    </OperatorFrame>
  );
}

/** Asks when Enter is pressed: each letter would be a look at everybody. */
function Search({ q }: { q: string }) {
  const [typed, setTyped] = useState(q);
  const ask = (words: string) => go({ q: words.trim() || undefined, page: undefined });
  return (
    <form
      role="search"
      className={styles['filters']}
      onSubmit={(event) => {
        event.preventDefault();
        ask(typed);
      }}
    >
      <TextField
        label="Cari nama atau nomor"
        name="q"
        type="search"
        autoComplete="off"
        maxLength={60}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onClear={() => ask('')}
        help="Tekan Enter untuk mencari."
      />
    </form>
  );
}
