import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import {
  type StatementLine,
  type StatementOutcome,
  type StatementReport,
  importStatement,
  previewStatement,
} from '#contract/operator/payments.ts';
import { perform } from '#web/api/act.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { typeNames } from '#web/api/uploads/fileTypes.ts';
import {
  countsOf,
  dayInWords,
  hasNewEntries,
  outcomeLabel,
  outcomeTone,
  pageOf,
} from '#web/features/operator/bank/bank.ts';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { isOperatorQuery } from '#web/features/operator/operatorQuery.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { type FactList, Facts, Panel, Row } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { FileUpload } from '#web/ui/upload/FileUpload.tsx';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';

type Step =
  | { at: 'choose'; failure?: string }
  | { at: 'reading' }
  | { at: 'preview'; upload: string; report: StatementReport; failure?: string }
  | { at: 'done'; report: StatementReport };

function useImport() {
  const client = useQueryClient();
  const [step, setStep] = useState<Step>({ at: 'choose' });
  const send = useAct(importStatement);
  const look = async (upload: string) => {
    setStep({ at: 'reading' });
    try {
      const report = await perform(previewStatement, { upload });
      setStep({ at: 'preview', upload, report });
    } catch (no) {
      setStep({ at: 'choose', failure: sentenceOf(no) });
    }
  };
  const bring = async (upload: string, report: StatementReport) => {
    try {
      const done = await send.perform({ upload, sha256: report.sha256 });
      setStep({ at: 'done', report: done });
    } catch (no) {
      setStep({ at: 'preview', upload, report, failure: sentenceOf(no) });
    } finally {
      void client.invalidateQueries({ predicate: isOperatorQuery });
    }
  };
  return { step, look, bring, busy: send.busy, again: () => setStep({ at: 'choose' }) };
}

/** Route `/operator/mutasi-bank/impor`: imports a statement after a preview of each entry. */
export function ImportPage() {
  const { step, look, bring, busy, again } = useImport();
  return (
    <OperatorFrame
      title="Impor mutasi"
      context="Berkas CSV dari KlikBCA, Mandiri, BRI, atau BNI. Tidak ada yang ditulis sebelum Anda menyetujuinya."
    >
      {step.at === 'choose' && (
        <FileUpload
          label="Berkas mutasi"
          purpose="statement"
          labels={indonesianUploads}
          typeLabels={typeNames}
          help="CSV, paling besar 5 MB dan 20.000 baris. Periode yang tumpang tindih tidak apa-apa: satu baris dihitung sekali."
          error={step.failure}
          onChange={([id]) => {
            if (id !== undefined) void look(id);
          }}
        />
      )}
      {step.at === 'reading' && (
        <div aria-busy="true" role="status" aria-label="Membaca berkas">
          <Skeleton lines={8} height="1.6em" />
        </div>
      )}
      {step.at === 'preview' && (
        <Preview
          report={step.report}
          failure={step.failure}
          busy={busy}
          onImport={() => void bring(step.upload, step.report)}
          onAgain={again}
        />
      )}
      {step.at === 'done' && <Result report={step.report} onAgain={again} />}
    </OperatorFrame>
  );
}

type PreviewProps = {
  report: StatementReport;
  failure: string | undefined;
  busy: boolean;
  onImport: () => void;
  onAgain: () => void;
};

function Preview({ report, failure, busy, onImport, onAgain }: PreviewProps) {
  const brings = hasNewEntries(report);
  return (
    <>
      <Alert state="danger" visible={failure !== undefined} label={failure} />
      <Alert
        state="warning"
        visible={report.account === null}
        label="Berkas ini tidak menyebut nomor rekening. Pastikan ini mutasi rekening isi saldo."
      />
      <Alert
        state="warning"
        visible={report.counts.unreadable > 0}
        label={`${report.counts.unreadable} baris tidak terbaca dan tidak akan diimpor. Alasannya tertulis di barisnya.`}
      />
      <Alert
        state="info"
        visible={!brings && report.counts.unreadable === 0}
        label="Tidak ada yang baru di berkas ini. Anda tidak perlu mengimpornya."
      />
      <Panel title="Yang akan terjadi">
        <Counts report={report} />
        <Facts facts={factsOf(report)} />
      </Panel>
      <Row>
        <Button busy={busy} disabled={!brings} onClick={onImport}>
          Impor mutasi ini
        </Button>
        <Button variant="outline" disabled={busy} onClick={onAgain}>
          Pilih berkas lain
        </Button>
      </Row>
      <StatementTable report={report} />
    </>
  );
}

function Result({ report, onAgain }: { report: StatementReport; onAgain: () => void }) {
  const waiting = report.counts.near + report.counts.kept + report.counts.twin;
  return (
    <>
      <Alert
        state="success"
        visible
        label={
          report.counts.pays > 0
            ? `${report.counts.pays} isi saldo lunas, seluruhnya ${formatRupiah(report.pays)}.`
            : 'Mutasi diimpor. Tidak ada isi saldo yang dibayarnya.'
        }
      >
        {waiting > 0 && `${waiting} mutasi disimpan dan menunggu Anda cocokkan.`}
      </Alert>
      <Panel title="Hasil impor">
        <Counts report={report} />
      </Panel>
      <Row>
        <LinkButton to="/operator/mutasi-bank">Lihat yang belum cocok</LinkButton>
        <Button variant="outline" onClick={onAgain}>
          Impor berkas lain
        </Button>
      </Row>
      <StatementTable report={report} />
    </>
  );
}

const Counts = ({ report }: { report: StatementReport }) => (
  <ul className={classes('flex wrap gap-8 gap-x-20 plain-list', styles['counts'])}>
    {countsOf(report).map(([outcome, count]) => (
      <li key={outcome} className="inline-flex align-center gap-8">
        <span className="heading num">{count}</span>
        <StatusChip tone={outcomeTone[outcome]}>{outcomeLabel[outcome]}</StatusChip>
      </li>
    ))}
  </ul>
);

function factsOf({ format, account, period, pays }: StatementReport): FactList {
  return [
    { term: 'Format berkas', is: format },
    account !== null && { term: 'Rekening', is: account },
    period && { term: 'Periode', is: `${dayInWords(period.from)} – ${dayInWords(period.to)}` },
    { term: 'Membayar isi saldo', is: formatRupiah(pays) },
  ];
}

function Detail({ line: { reason, topup } }: { line: StatementLine }) {
  if (reason !== null) return <span className="small text-danger regular">{reason}</span>;
  return (
    topup && <span className="small faint regular">{`${topup.account_name} · ${topup.id}`}</span>
  );
}

const columns: readonly Column<StatementLine>[] = [
  { id: 'number', title: 'Baris', width: 70, phone: 'fact', cell: ({ number }) => number },
  {
    id: 'day',
    title: 'Tanggal',
    width: 120,
    phone: 'line',
    cell: ({ day }) => (day === null ? '—' : dayInWords(day)),
  },
  {
    id: 'description',
    title: 'Keterangan bank',
    width: 320,
    phone: 'title',
    cell: (line) => (
      <span className="stack break-anywhere ws-normal">
        {line.description || '—'}
        <Detail line={line} />
      </span>
    ),
  },
  {
    id: 'amount',
    title: 'Jumlah',
    align: 'end',
    whole: true,
    phone: 'aside',
    cell: ({ amount }) => (amount === null ? '—' : <Money amount={amount} />),
  },
  {
    id: 'outcome',
    title: 'Hasil',
    width: 200,
    whole: true,
    phone: 'fact',
    cell: ({ outcome }) => (
      <StatusChip tone={outcomeTone[outcome]}>{outcomeLabel[outcome]}</StatusChip>
    ),
  },
];

function StatementTable({ report }: { report: StatementReport }) {
  const [outcome, setOutcome] = useState<StatementOutcome>();
  const [page, setPage] = useState(0);
  const options = [
    { value: '', label: 'Semua baris' },
    ...countsOf(report).map(([value]) => ({ value, label: outcomeLabel[value] })),
  ];
  return (
    <div>
      <div className="mb-12 max-w-280">
        <Select
          label="Hasil"
          hideLabel
          options={options}
          value={outcome ?? ''}
          onChange={({ target }) => {
            setOutcome((target.value || undefined) as StatementOutcome | undefined);
            setPage(0);
          }}
        />
      </div>
      <DataTable
        caption="Isi berkas mutasi"
        columns={columns}
        rowKey={({ number }) => String(number)}
        {...pageOf(report, outcome, page)}
        view={{ page }}
        onView={(view) => setPage(view.page)}
        empty={<EmptyState title="Berkas ini tidak memuat baris seperti itu" />}
      />
      {report.left_out > 0 && (
        <p>{report.left_out} baris lain dihitung, tetapi tidak ditampilkan di sini.</p>
      )}
    </div>
  );
}
