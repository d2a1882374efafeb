import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import {
  type LedgerCheck,
  type Reconciliation,
  type Seal,
  listSeals,
  moneyOverview,
  runCheck,
  runReconciliation,
  verifySeal,
} from '#contract/operator/books.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { dayInWords } from '#web/features/operator/bank/bank.ts';
import { Findings } from '#web/features/operator/books/Findings.tsx';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { Hash, Loaded, OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { momentColumn } from '#web/features/operator/OperatorList.tsx';
import { actQuery, isOperatorQuery } from '#web/features/operator/operatorQuery.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useList } from '#web/ui/table/list/useList.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

/** Route `/operator/pembukuan`: the ledger checks, their seals, and the bank reconciliation. */
export function BooksPage() {
  const overview = useQuery(actQuery(moneyOverview, {}));
  return (
    <OperatorFrame
      title="Pembukuan"
      context="Setiap malam semua angka diperiksa, dicocokkan dengan bank, dan disegel."
    >
      <Loaded query={overview} lines={8}>
        {({ check, reconciliation }) => (
          <>
            <Checked check={check} />
            <Reconciled found={reconciliation} />
          </>
        )}
      </Loaded>
      <Seals />
    </OperatorFrame>
  );
}

function useAfterwards(said: string) {
  const client = useQueryClient();
  return {
    onSuccess: () => {
      toast(said, { tone: 'success' });
      void client.invalidateQueries({ predicate: isOperatorQuery });
    },
    onError: (no: Error) => toast(sentenceOf(no), { tone: 'danger' }),
  };
}

function Checked({ check }: { check: LedgerCheck | null }) {
  const { busy, mutate } = useAct(runCheck, useAfterwards('Pembukuan sudah diperiksa.'));
  const red = check?.findings.filter(({ ok }) => !ok) ?? [];
  return (
    <Panel
      title="Aturan pembukuan"
      tools={
        <Button variant="outline" tone="primary" size="sm" busy={busy} onClick={() => mutate({})}>
          Periksa sekarang
        </Button>
      }
    >
      {!check && (
        <p className="muted">
          Belum pernah diperiksa. Pemeriksaan berjalan setiap hari pukul 00.10 WIB.
        </p>
      )}
      {check && (
        <Stack gap={12}>
          <Alert
            state={check.ok ? 'success' : 'danger'}
            visible
            label={
              check.ok
                ? `Semua ${check.findings.length} aturan cocok.`
                : `${red.length} aturan tidak cocok. Uang keluar ditahan sampai semuanya cocok.`
            }
          />
          <p className="small faint regular">
            Diperiksa <DateTime at={check.at} />, selama {formatNumber(check.millis)} milidetik
          </p>
          {red.length > 0 && (
            <ul
              className={classes('stack plain-list divided', styles['rows'])}
              aria-label="Aturan yang tidak cocok"
            >
              {red.map(({ invariant, description, broken, examples }) => (
                <li key={invariant}>
                  <span className={styles['what']}>
                    <strong>
                      {invariant}: <span lang="en">{description}</span>
                    </strong>
                    <Hash>{examples.join(' ')}</Hash>
                  </span>
                  <StatusChip tone="danger">{formatNumber(broken)} baris</StatusChip>
                </li>
              ))}
            </ul>
          )}
        </Stack>
      )}
    </Panel>
  );
}

function Reconciled({ found }: { found: Reconciliation | null }) {
  const { busy, mutate } = useAct(runReconciliation, useAfterwards('Rekonsiliasi selesai.'));
  return (
    <Panel
      title="Rekonsiliasi"
      tools={
        <Button variant="outline" tone="primary" size="sm" busy={busy} onClick={() => mutate({})}>
          Cocokkan sekarang
        </Button>
      }
    >
      {!found && (
        <p className="muted">
          Belum pernah dicocokkan. Rekonsiliasi berjalan setiap hari pukul 02.30 WIB.
        </p>
      )}
      {found && (
        <Stack gap={12}>
          <p className="small faint regular">
            Dicocokkan <DateTime at={found.at} />
          </p>
          {found.findings.length === 0 ? (
            <Alert state="success" visible label="Semua cocok: tidak ada temuan." />
          ) : (
            <Findings findings={found.findings} />
          )}
        </Stack>
      )}
    </Panel>
  );
}

const columns: readonly Column<Seal>[] = [
  { id: 'day', title: 'Hari', width: 130, phone: 'title', cell: ({ day }) => dayInWords(day) },
  {
    id: 'hash',
    title: 'Segel (SHA-256)',
    width: 260,
    phone: 'line',
    cell: ({ hash }) => <Hash>{hash.slice(0, 24)}…</Hash>,
  },
  {
    id: 'entries',
    title: 'Mutasi',
    align: 'end',
    width: 110,
    phone: 'fact',
    cell: ({ entries }) => formatNumber(entries),
  },
  {
    id: 'bookings',
    title: 'Jurnal',
    align: 'end',
    width: 110,
    phone: 'fact',
    cell: ({ bookings }) => formatNumber(bookings),
  },
  momentColumn({ id: 'at', title: 'Disegel', phone: 'note', at: ({ at }) => at }),
];

function Seals() {
  const [page, setPage] = useState(0);
  const list = useList(listSeals, {}, { page });
  const verify = useAct(verifySeal);
  const { data, error } = verify;
  return (
    <Panel
      title="Segel harian"
      tools={
        <Button
          variant="outline"
          tone="primary"
          size="sm"
          busy={verify.busy}
          onClick={() => verify.mutate({})}
        >
          Periksa segel terakhir
        </Button>
      }
    >
      <Stack gap={12}>
        <RefusalAlert error={error} />
        <Alert
          state={data?.ok ? 'success' : 'danger'}
          visible={data !== undefined}
          label={data ? sealSentence(data) : ''}
        />
        <DataTable
          caption="Segel harian"
          columns={columns}
          rowKey={({ number }) => String(number)}
          {...list.table}
          onView={(view) => setPage(view.page)}
          empty={
            <NoRows list={list}>
              <EmptyState title="Belum ada hari yang disegel">
                Segel pertama dibuat setelah pukul 00.10 WIB.
              </EmptyState>
            </NoRows>
          }
        />
        <p className="small faint regular">
          Segel yang sama ditulis ke berkas ledger-seals.txt di folder data; seluruh rantai
          diperiksa dengan <code>npm run ledger:check</code>.
        </p>
      </Stack>
    </Panel>
  );
}

const sealSentence = ({ ok, day }: { ok: boolean; day: string }): string =>
  ok
    ? `Segel hari ${dayInWords(day)} utuh: tidak ada yang berubah sejak disegel.`
    : `Segel hari ${dayInWords(day)} tidak cocok lagi. Jalankan npm run ledger:check di server.`;
