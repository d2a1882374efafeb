import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { formatNumber } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import { formatDateTime } from '#contract/base/time.ts';
import {
  AUDIT_COUNT_MAX,
  type AuditCheck,
  type AuditEntry,
  auditState,
  exportAudit,
  listAudit,
  verifyAudit,
} from '#contract/operator/audit.ts';
import type { AnswerOf } from '#web/api/answer.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { optionsOf } from '#web/ui/select/options.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import type { Search } from '#web/browser/router/routes.ts';
import {
  actOptions,
  actorOf,
  actSentence,
  checkSentence,
  factName,
  findingSentence,
  outcomeOf,
} from '#web/features/operator/audit/audit.ts';
import page from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { Hash, Loaded, OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { momentColumn, OperatorList } from '#web/features/operator/OperatorList.tsx';
import { actQuery, isOperatorQuery } from '#web/features/operator/operatorQuery.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { saveFrom } from '#web/ui/copy/saveFile.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords, isCivilDate } from '#web/ui/date/dates.ts';
import { type FactList, Facts, Panel, Row, Stack } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { ListFields } from '#web/ui/table/list/useList.ts';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const columns: readonly Column<AuditEntry>[] = [
  {
    id: 'what',
    title: 'Tindakan',
    width: 320,
    phone: 'title',
    cell: ({ act, about, whom }) => (
      <span className={page['what']}>
        <span>{actSentence(act)}</span>
        {(about ?? whom) && <span className="small faint regular">{(about ?? whom)?.name}</span>}
      </span>
    ),
  },
  {
    id: 'who',
    title: 'Oleh',
    width: 220,
    phone: 'line',
    cell: (entry) => (
      <span className={page['what']}>
        {actorOf(entry)}
        {entry.account && !entry.account.ours && entry.account.name !== entry.person?.name && (
          <span className="small faint regular">{entry.account.name}</span>
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
  momentColumn({ id: 'at', title: 'Waktu', phone: 'note', at: ({ at }) => at }),
  {
    id: 'ip',
    title: 'Alamat IP',
    width: 150,
    phone: 'hidden',
    cell: ({ ip }) => <span className="num">{ip || '—'}</span>,
  },
];

type Change = Search<'/operator/audit'>;

const go = (change: Change): void =>
  void navigate({
    to: '/operator/audit',
    change: { page: undefined, ...change },
    resetScroll: false,
  });

const fields = ['from', 'to', 'act', 'user', 'account', 'outcome'] as const;
const noFilter: Change = Object.fromEntries(fields.map((name) => [name, undefined]));

const outcomes = optionsOf('Semua hasil', { ok: 'Berhasil', refused: 'Ditolak atau gagal' });

/** Route `/operator/audit`: who did what, when and from where, and whether the log is intact. */
export function AuditPage() {
  const { from, to, act, user, account, outcome } = useSearch('/operator/audit');
  const state = useQuery(actQuery(auditState, {}));
  // Impossible dates are dropped.
  const range = from && to && isCivilDate(from) && isCivilDate(to) ? { from, to } : null;
  const filter = { ...range, act_name: act, user_id: user, account_id: account, outcome };
  return (
    <OperatorFrame
      title="Catatan audit"
      context="Siapa melakukan apa, kapan, dan dari mana. Catatan hanya dapat bertambah."
      action={<Export filter={filter} />}
    >
      <Chain state={state} />
      <OperatorList
        to="/operator/audit"
        act={listAudit}
        input={filter}
        title="Catatan"
        caption="Catatan audit"
        columns={columns}
        rowKey={({ id }) => id}
        filters={[
          (hideLabel) => (
            <DatePicker
              label="Tanggal"
              labels={dateWords}
              hideLabel={hideLabel}
              value={range}
              onChange={(chosen) => go({ from: chosen?.from, to: chosen?.to })}
            />
          ),
          {
            name: 'act',
            label: 'Tindakan',
            options: [{ value: '', label: 'Semua tindakan' }, ...actOptions],
          },
          { name: 'user', label: 'Oleh', options: peopleOf(state.data?.operators ?? [], user) },
          { name: 'outcome', label: 'Hasil', options: outcomes },
        ]}
        resets={fields}
        {...(account !== undefined && { reset: 'Satu akun saja, tampilkan semua' })}
        empty={{
          title: 'Belum ada catatan',
          text: 'Setiap tindakan penting akan tercatat di sini.',
        }}
        drawer={{
          name: 'Catatan audit',
          title: (entry) => actSentence(entry.act),
          missing: 'Catatan ini tidak ada di halaman yang sedang ditampilkan.',
          children: (entry) => <Entry entry={entry} />,
        }}
        foot={(totalPages) =>
          totalPages * PAGE_SIZE >= AUDIT_COUNT_MAX && (
            <p className="small faint regular">
              Yang ditampilkan {formatNumber(AUDIT_COUNT_MAX)} catatan terbaru. Pilih tanggal untuk
              melihat yang lebih lama.
            </p>
          )
        }
      />
    </OperatorFrame>
  );
}

type Operators = AnswerOf<typeof auditState>['operators'];

const peopleOf = (operators: Operators, user: string | undefined) => [
  { value: '', label: 'Semua operator dan pelanggan' },
  ...(user !== undefined && !operators.some(({ user_id }) => user_id === user)
    ? [{ value: user, label: 'Satu orang saja' }]
    : []),
  ...operators.map(({ user_id, name, removed }) => ({
    value: user_id,
    label: removed ? `${isolated(name)} (sudah keluar)` : name,
  })),
];

function Entry({ entry }: { entry: AuditEntry }) {
  const { person, account, about } = entry;
  const customer = about ?? (account && !account.ours ? account : null);
  const only = (change: Change, words: string) => (
    <Button
      size="sm"
      variant="outline"
      onClick={() => go({ ...noFilter, open: undefined, ...change })}
    >
      {words}
    </Button>
  );
  return (
    <>
      <Facts facts={factsOf(entry)} />
      {entry.erased && (
        <p className="muted">
          Alamat IP dan rinciannya sudah dihapus: akunnya ditutup, atau lewat tujuh hari bagi yang
          belum masuk.
        </p>
      )}
      {(person || customer) && (
        <Row>
          {person && only({ user: person.user_id }, 'Semua catatan orang ini')}
          {customer && only({ account: customer.account_id }, 'Semua catatan pelanggan ini')}
        </Row>
      )}
    </>
  );
}

const Customer = ({ account_id, name }: { account_id: string; name: string }) => (
  <Link to="/operator/pelanggan" search={{ open: account_id }}>
    {name}
  </Link>
);

function factsOf(entry: AuditEntry): FactList {
  const { person, account, about, whom, outcome } = entry;
  const { label, tone } = outcomeOf(outcome);
  return [
    { term: 'Waktu', is: <DateTime at={entry.at} /> },
    { term: 'Oleh', is: actorOf(entry) },
    person !== null && { term: 'ID orang', is: <Hash>{person.user_id}</Hash> },
    account !== null && {
      term: 'Akun',
      is: account.ours ? account.name : <Customer {...account} />,
    },
    about !== null && { term: 'Pelanggan', is: <Customer {...about} /> },
    whom !== null && { term: 'Terhadap', is: whom.name },
    {
      term: 'Hasil',
      is: (
        <Row>
          <StatusChip tone={tone}>{label}</StatusChip>
          {outcome !== 'ok' && <Hash>{outcome}</Hash>}
        </Row>
      ),
    },
    ...Object.entries(entry.facts).map(([field, id]) => ({
      term: factName(field),
      is: <Hash>{id}</Hash>,
    })),
    { term: 'Alamat IP', is: entry.ip ? <span className="num">{entry.ip}</span> : '—' },
    { term: 'Tindakan', is: <Hash>{entry.act}</Hash> },
    { term: 'Permintaan', is: <Hash>{entry.request}</Hash> },
    { term: 'Nomor dalam rantai', is: formatNumber(entry.seq) },
    { term: 'ID catatan', is: <Hash>{entry.id}</Hash> },
    { term: 'SHA-256', is: <Hash>{entry.hash}</Hash> },
  ];
}

function Export({ filter }: { filter: ListFields<typeof listAudit> }) {
  const make = useAct(exportAudit, {
    onSuccess: ({ url, filename }) => saveFrom(url, filename),
    onError: (no) => toast(sentenceOf(no), { tone: 'danger' }),
  });
  return (
    <Button
      variant="outline"
      busy={make.busy}
      icon={<Download size={18} />}
      onClick={() => make.mutate(filter)}
    >
      Unduh CSV
    </Button>
  );
}

const CHECK_MS = 5_000;

function Chain({ state }: { state: UseQueryResult<AnswerOf<typeof auditState>> }) {
  const client = useQueryClient();
  const [waitsSince, setWaitsSince] = useState<number>();
  const { refetch, data } = state;
  const isWaiting = waitsSince !== undefined && (data?.check?.at.getTime() ?? 0) < waitsSince;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void refetch(), CHECK_MS);
    return () => clearInterval(timer);
  }, [isWaiting, refetch]);
  const { busy, mutate } = useAct(verifyAudit, {
    onSuccess: ({ check }) => {
      if (!check) toast('Catatannya banyak: hasilnya tampil di sini setelah selesai.');
      setWaitsSince(check ? undefined : Date.now());
      void client.invalidateQueries({ predicate: isOperatorQuery });
    },
    onError: (no) => toast(sentenceOf(no), { tone: 'danger' }),
  });
  return (
    <Panel
      title="Rantai"
      tools={
        <Button
          variant="outline"
          tone="primary"
          size="sm"
          busy={busy || isWaiting}
          onClick={() => mutate({})}
        >
          Periksa sekarang
        </Button>
      }
    >
      <Loaded query={state} lines={2}>
        {({ check }) =>
          check ? (
            <Checked check={check} />
          ) : (
            <p className="muted">
              Belum pernah diperiksa. Pemeriksaan berjalan setiap hari pukul 00.10 WIB.
            </p>
          )
        }
      </Loaded>
    </Panel>
  );
}

const Checked = ({ check }: { check: AuditCheck }) => (
  <Stack gap={12}>
    <Alert
      state={check.ok ? 'success' : 'danger'}
      visible
      label={
        check.ok ? `Rantai utuh sampai ${formatDateTime(check.at)} WIB.` : checkSentence(check)
      }
    >
      {check.findings.length > 0 && (
        <ul className={classes('grid gap-4 break-anywhere', page['findings'])}>
          {check.findings.map((finding) => (
            <li key={JSON.stringify(finding)}>{findingSentence(finding)}</li>
          ))}
        </ul>
      )}
    </Alert>
    <p className="small faint regular">
      {formatNumber(check.lines)} catatan dalam {formatNumber(check.chains)} rantai dihitung ulang,
      selama {formatNumber(check.millis)} milidetik. Diperiksa juga setiap malam, dan dengan{' '}
      <code>npm run ledger:check</code>.
    </p>
  </Stack>
);
