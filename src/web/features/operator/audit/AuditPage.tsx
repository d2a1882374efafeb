import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import {
  AUDIT_COUNT_MAX,
  type AuditEntry,
  AuditOutcome,
  auditState,
  exportAudit,
  listAudit,
} from '#contract/operator/audit.ts';
import { formatNumber } from '#contract/base/money.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { actorOf, outcomeOf } from '#web/features/operator/audit/audit.ts';
import { AuditDrawer } from '#web/features/operator/audit/AuditDrawer.tsx';
import styles from '#web/features/operator/audit/AuditPage.module.css';
import { Chain } from '#web/features/operator/audit/Chain.tsx';
import { type AuditChange, Filters, NO_FILTER } from '#web/features/operator/audit/Filters.tsx';
import { actSentence } from '#web/features/operator/audit/sentences.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import desk from '#web/features/operator/form/form.module.css';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { saveFrom } from '#web/ui/copy/saveFile.ts';
import { isCivilDate } from '#web/ui/date/dates.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const columns: readonly Column<AuditEntry>[] = [
  {
    id: 'what',
    title: 'Tindakan',
    width: 320,
    phone: 'title',
    cell: ({ act, about, whom }) => (
      <span className={styles['what']}>
        {actSentence(act)}
        {(about ?? whom) && <span className={desk['small']}>{(about ?? whom)?.name}</span>}
      </span>
    ),
  },
  {
    id: 'who',
    title: 'Oleh',
    width: 220,
    phone: 'line',
    cell: (line) => (
      <span className={styles['what']}>
        {actorOf(line)}
        {line.account && !line.account.ours && line.account.name !== line.person?.name && (
          <span className={desk['small']}>{line.account.name}</span>
        )}
      </span>
    ),
  },
  {
    id: 'outcome',
    title: 'Hasil',
    width: 120,
    phone: 'aside',
    cell: ({ outcome }) => {
      const { label, tone } = outcomeOf(outcome);
      return <StatusChip tone={tone}>{label}</StatusChip>;
    },
  },
  { id: 'at', title: 'Waktu', width: 170, phone: 'note', cell: ({ at }) => <DateTime at={at} /> },
  {
    id: 'ip',
    title: 'Alamat IP',
    width: 150,
    phone: 'hidden',
    cell: ({ ip }) => <span className="num">{ip || '—'}</span>,
  },
];

/** The filter from the address; impossible dates are dropped. */
function useAuditSearch() {
  const { from, to, act, user, account, outcome } = useSearch('/operator/audit');
  const range = from && to && isCivilDate(from) && isCivilDate(to) ? { from, to } : null;
  const known = AuditOutcome().safeParse(outcome);
  const filter = {
    ...range,
    ...(act !== undefined && { act_name: act }),
    ...(user !== undefined && { user_id: user }),
    ...(account !== undefined && { account_id: account }),
    ...(known.success && { outcome: known.data }),
  };
  return { range, filter };
}

const go = (change: AuditChange) =>
  void navigate({
    to: '/operator/audit',
    change: { page: undefined, ...change },
    resetScroll: false,
  });

/** Route `/operator/audit`: who did what, when and from where, and whether the log is intact. */
export function AuditPage() {
  const { range, filter } = useAuditSearch();
  const { view, onView } = useAddressView('/operator/audit');
  const state = useQuery(actQuery(auditState, {}));
  const list = useList(listAudit, filter, view);
  const [opened, setOpened] = useState<AuditEntry>();
  const isFiltered = Object.keys(filter).length > 0;
  const isFull = (list.table.totalPages ?? 0) * 10 >= AUDIT_COUNT_MAX;
  return (
    <OperatorFrame
      title="Catatan audit"
      context="Siapa melakukan apa, kapan, dan dari mana. Catatan hanya dapat bertambah."
      action={<Export filter={filter} />}
    >
      <div className={desk['page']}>
        <Chain state={state} />
        <Panel
          title="Catatan"
          tools={
            <Filters
              range={range}
              filter={filter}
              operators={state.data?.operators ?? []}
              onChange={go}
            />
          }
        >
          <DataTable
            caption="Catatan audit"
            columns={columns}
            rowKey={({ id }) => id}
            {...list.table}
            onOpen={setOpened}
            openKey={opened?.id}
            onView={onView}
            empty={
              <NoRows list={list} onReset={isFiltered && (() => go(NO_FILTER))}>
                <EmptyState title="Belum ada catatan">
                  Setiap tindakan penting akan tercatat di sini.
                </EmptyState>
              </NoRows>
            }
          />
          {isFull && (
            <p className={desk['small']}>
              Yang ditampilkan {formatNumber(AUDIT_COUNT_MAX)} catatan terbaru. Pilih tanggal untuk
              melihat yang lebih lama.
            </p>
          )}
        </Panel>
      </div>
      {opened && (
        <AuditDrawer
          line={opened}
          onClose={() => setOpened(undefined)}
          onFilter={(change) => {
            setOpened(undefined);
            go({ ...NO_FILTER, ...change });
          }}
        />
      )}
    </OperatorFrame>
  );
}

function Export({ filter }: { filter: ReturnType<typeof useAuditSearch>['filter'] }) {
  const make = useAct(exportAudit, {
    onSuccess: ({ url, filename }) => saveFrom(url, filename),
    onError: (no) => toast(sentenceOf(no), { tone: 'danger' }),
  });
  return (
    <Button
      variant="outline"
      tone="neutral"
      busy={make.busy}
      icon={<Download size={18} />}
      onClick={() => make.mutate(filter)}
    >
      Unduh CSV
    </Button>
  );
}
