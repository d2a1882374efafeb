import { useState } from 'react';
import type {
  StatementLine,
  StatementOutcome,
  StatementReport,
} from '#contract/operator/payments.ts';
import styles from '#web/features/operator/bank/ImportPage.module.css';
import {
  countsOf,
  dayInWords,
  outcomeLabel,
  outcomeTone,
  pageOf,
} from '#web/features/operator/bank/statement.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';

function Detail({ line: { reason, topup } }: { line: StatementLine }) {
  if (reason !== null) return <span className={styles['reason']}>{reason}</span>;
  return topup && <span className={styles['whose']}>{`${topup.account_name} · ${topup.id}`}</span>;
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
      <span className={styles['what']}>
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

export function StatementTable({ report }: { report: StatementReport }) {
  const [outcome, setOutcome] = useState<StatementOutcome>();
  const [page, setPage] = useState(0);
  const options = [
    { value: '', label: 'Semua baris' },
    ...countsOf(report).map(([value]) => ({ value, label: outcomeLabel[value] })),
  ];
  return (
    <div>
      <div className={styles['filter']}>
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
