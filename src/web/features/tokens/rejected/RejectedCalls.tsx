import { TimeAgo } from '#web/ui/time/DateTime.tsx';
import { useQuery } from '@tanstack/react-query';
import { RefreshCw, ShieldCheck } from 'lucide-react';

import { formatNumber } from '#contract/base/money.ts';
import { type RejectedCall, listRejectedCalls } from '#contract/token-access.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import {
  dialectLabel,
  fixOf,
  hasWords,
  reasonOf,
  reasonOptions,
} from '#web/features/tokens/rejected/labels.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';

const columns: readonly Column<RejectedCall>[] = [
  { id: 'reason', title: 'Alasan', width: 300, cell: reasonOf, phone: 'title' },
  {
    id: 'call',
    title: 'Permintaan',
    width: 230,
    cell: ({ method, path }) => (
      <code>
        {method} <bdi>{path}</bdi>
      </code>
    ),
    phone: 'line',
  },
  {
    id: 'token',
    title: 'Token',
    width: 140,
    cell: ({ token }) => <bdi>{token.name}</bdi>,
    phone: 'fact',
  },
  {
    id: 'calls',
    title: 'Jumlah',
    align: 'end',
    sortable: true,
    width: 90,
    cell: ({ calls }) => <span className="num">{formatNumber(calls)}×</span>,
    phone: 'aside',
  },
  {
    id: 'last_at',
    title: 'Terakhir',
    sortable: true,
    width: 150,
    cell: ({ last_at: at }) => <TimeAgo at={at} />,
    phone: 'note',
  },
];

type Change = { token?: string | undefined; reason?: string | undefined };

const go = (change: Change) =>
  void navigate({ to: '/token', change: { page: undefined, ...change }, resetScroll: false });

/** View `ditolak` of `/token`: refused calls of the last seven days, with reason and remedy. */
export function RejectedCalls() {
  const { token, reason } = useSearch('/token');
  const known = reason !== undefined && hasWords(reason) ? reason : undefined;
  const { view, onView } = useAddressView('/token', { sorts: ['last_at', 'calls'] });
  const list = useList(listRejectedCalls, { token_id: token, code: known }, view);
  return (
    <section className={styles['part']} aria-label="Permintaan ditolak">
      <p className="muted">
        Permintaan API dengan kunci Anda yang ditolak dalam 7 hari terakhir. Yang sama dalam satu
        jam dihitung bersama. Isi pesan dan nomor tujuan tidak disimpan di sini.
      </p>
      <Filters token={token} reason={known} onReload={() => void list.refetch()} />
      <DataTable
        {...list.table}
        caption="Permintaan ditolak"
        columns={columns}
        rowKey={({ id, token: of }) => `${of.id} ${id}`}
        detail={(row) => <Fix row={row} />}
        onView={onView}
        empty={
          <NoRows
            list={list}
            onReset={
              (token !== undefined || known !== undefined) &&
              (() => go({ token: undefined, reason: undefined }))
            }
          >
            <EmptyState icon={<ShieldCheck size={24} />} title="Tidak ada permintaan yang ditolak">
              Bila ada, alasan dan cara memperbaikinya tertulis di sini.
            </EmptyState>
          </NoRows>
        }
      />
    </section>
  );
}

type FiltersProps = {
  token: string | undefined;
  reason: string | undefined;
  onReload: () => void;
};

function Filters({ token, reason, onReload }: FiltersProps) {
  const { data: tokens = [] } = useQuery(allTokensQuery);
  const names = tokens.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className={classes('flex wrap gap-8', styles['filters'])}>
      <Select
        label="Token"
        hideLabel
        options={[{ value: '', label: 'Semua token' }, ...names]}
        value={token ?? ''}
        onChange={({ target }) => go({ token: target.value || undefined })}
      />
      <Select
        label="Alasan"
        hideLabel
        options={[{ value: '', label: 'Semua alasan' }, ...reasonOptions]}
        value={reason ?? ''}
        onChange={({ target }) => go({ reason: target.value || undefined })}
      />
      <Button
        square
        variant="subtle"
        tone="neutral"
        icon={<RefreshCw size={18} />}
        aria-label="Muat ulang"
        title="Muat ulang"
        onClick={onReload}
      />
    </div>
  );
}

const Fix = ({ row: { code, status, dialect, address } }: { row: RejectedCall }) => (
  <div className="grid gap-4">
    <p>{fixOf(code)}</p>
    <p className="small faint">
      {dialectLabel[dialect] ?? dialect}, HTTP {status} <code>{code}</code>
      {address !== '' && (
        <>
          , dari <bdi>{address}</bdi>
        </>
      )}
      . <a href="/docs#errors">Penjelasan di dokumentasi</a>
    </p>
  </div>
);
