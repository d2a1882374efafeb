import { isolated } from '#contract/base/names.ts';
import { X } from 'lucide-react';
import styles from '#web/features/operator/audit/AuditPage.module.css';
import { actOptions } from '#web/features/operator/audit/sentences.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { type DateRange, dateWords } from '#web/ui/date/dates.ts';
import { Select } from '#web/ui/select/Select.tsx';

export type AuditChange = Readonly<
  Partial<Record<'from' | 'to' | 'act' | 'user' | 'account' | 'outcome', string | undefined>>
>;

type Props = {
  range: DateRange | null;
  filter: {
    act_name?: string;
    user_id?: string;
    account_id?: string;
    outcome?: string;
  };
  operators: readonly { user_id: string; name: string; removed: boolean }[];
  onChange: (change: AuditChange) => void;
};

const acts = [{ value: '', label: 'Semua tindakan' }, ...actOptions];
const outcomes = [
  { value: '', label: 'Semua hasil' },
  { value: 'ok', label: 'Berhasil' },
  { value: 'refused', label: 'Ditolak atau gagal' },
];

export function Filters({ range, filter, operators, onChange }: Props) {
  const { act_name: act = '', user_id: user = '', account_id: account, outcome = '' } = filter;
  const isOperator = operators.some(({ user_id }) => user_id === user);
  const people = [
    { value: '', label: 'Semua operator dan pelanggan' },
    ...(user !== '' && !isOperator ? [{ value: user, label: 'Satu orang saja' }] : []),
    ...operators.map(({ user_id, name, removed }) => ({
      value: user_id,
      label: removed ? `${isolated(name)} (sudah keluar)` : name,
    })),
  ];
  return (
    <>
      <div className={styles['filters']}>
        <DatePicker
          label="Tanggal"
          labels={dateWords}
          hideLabel
          value={range}
          onChange={(chosen) => onChange({ from: chosen?.from, to: chosen?.to })}
        />
        <Select
          label="Tindakan"
          hideLabel
          options={acts}
          value={act}
          onChange={({ target }) => onChange({ act: target.value || undefined })}
        />
        <Select
          label="Oleh"
          hideLabel
          options={people}
          value={user}
          onChange={({ target }) => onChange({ user: target.value || undefined })}
        />
        <Select
          label="Hasil"
          hideLabel
          options={outcomes}
          value={outcome}
          onChange={({ target }) => onChange({ outcome: target.value || undefined })}
        />
      </div>
      {account !== undefined && (
        <div className={styles['only']}>
          <Button
            variant="outline"
            tone="neutral"
            size="sm"
            icon={<X size={16} />}
            onClick={() => onChange({ account: undefined })}
          >
            Satu akun saja, tampilkan semua
          </Button>
        </div>
      )}
    </>
  );
}
