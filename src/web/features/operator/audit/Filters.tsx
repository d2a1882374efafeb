import { isolated } from '#contract/base/names.ts';
import { actOptions } from '#web/features/operator/audit/sentences.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { type DateRange, dateWords } from '#web/ui/date/dates.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { ListFilters } from '#web/ui/table/list/ListFilters.tsx';

export type AuditChange = Readonly<
  Partial<Record<'from' | 'to' | 'act' | 'user' | 'account' | 'outcome', string | undefined>>
>;

export const NO_FILTER: AuditChange = {
  from: undefined,
  to: undefined,
  act: undefined,
  user: undefined,
  account: undefined,
  outcome: undefined,
};

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
    <ListFilters
      title="Saring catatan"
      count={[range, act, user, account, outcome].filter(Boolean).length}
      {...(account && { reset: 'Satu akun saja, tampilkan semua' })}
      onReset={() => onChange(NO_FILTER)}
    >
      {(hideLabel) => (
        <>
          <DatePicker
            label="Tanggal"
            labels={dateWords}
            hideLabel={hideLabel}
            value={range}
            onChange={(chosen) => onChange({ from: chosen?.from, to: chosen?.to })}
          />
          <Select
            label="Tindakan"
            hideLabel={hideLabel}
            options={acts}
            value={act}
            onChange={({ target }) => onChange({ act: target.value || undefined })}
          />
          <Select
            label="Oleh"
            hideLabel={hideLabel}
            options={people}
            value={user}
            onChange={({ target }) => onChange({ user: target.value || undefined })}
          />
          <Select
            label="Hasil"
            hideLabel={hideLabel}
            options={outcomes}
            value={outcome}
            onChange={({ target }) => onChange({ outcome: target.value || undefined })}
          />
        </>
      )}
    </ListFilters>
  );
}
