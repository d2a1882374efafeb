import {
  directionLabel,
  messageTypeLabel,
  MESSAGE_QUERY_MAX,
  statusFilterLabel,
  StatusFilter,
} from '#contract/messages.ts';
import type { Token } from '#contract/tokens.ts';
import { civilDate } from '#contract/base/time.ts';
import styles from '#web/features/messages/messages.module.css';
import { classes } from '#web/ui/classes.ts';
import {
  countSet,
  noFilters,
  rangeOf,
  type FilterSearch,
  type Filters,
} from '#web/features/messages/history/filters.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords } from '#web/ui/date/dates.ts';
import { MultiSelect } from '#web/ui/select/MultiSelect.tsx';
import type { Option } from '#web/ui/select/options.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { ListFilters } from '#web/ui/table/list/ListFilters.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';

const statusOptions: readonly Option[] = StatusFilter().options.map((value) => ({
  value,
  label: statusFilterLabel(value),
}));
const typeOptions: readonly Option[] = [
  { value: '', label: 'Semua jenis' },
  ...Object.entries(messageTypeLabel).map(([value, label]) => ({ value, label })),
];
const directionOptions: readonly Option[] = [
  { value: '', label: 'Semua arah' },
  ...Object.entries(directionLabel).map(([value, label]) => ({ value, label })),
];

type Props = {
  search: FilterSearch;
  filters: Filters;
  tokens: readonly Token[];
  onChange: (next: FilterSearch) => void;
};

const bar = classes('row wrap gap-8 mb-16', styles['bar']);

export function FilterBar({ search, filters, tokens, onChange }: Props) {
  const tokenOptions: readonly Option[] = [
    { value: '', label: 'Semua token' },
    ...tokens.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <div className={bar} role="search" aria-label="Saring pesan">
      <SearchField
        label="Cari nomor, nama, atau kata"
        placeholder="Nomor, nama, atau kata"
        className={styles['search']}
        maxLength={MESSAGE_QUERY_MAX}
        value={search.q ?? ''}
        onSearch={(q) => onChange({ q: q || undefined })}
      />
      <ListFilters
        title="Saring pesan"
        count={countSet(filters)}
        onReset={() => onChange(noFilters)}
      >
        {(hideLabel) => (
          <>
            <DatePicker
              label="Tanggal"
              labels={dateWords}
              hideLabel={hideLabel}
              value={rangeOf(search)}
              max={civilDate(new Date())}
              onChange={(range) => onChange({ from: range?.from, to: range?.to })}
            />
            <MultiSelect
              label="Status"
              hideLabel={hideLabel}
              none="Semua status"
              options={statusOptions}
              value={filters.status ?? []}
              onChange={(status) => onChange({ status: status.length > 0 ? status : undefined })}
            />
            <Select
              label="Arah"
              hideLabel={hideLabel}
              options={directionOptions}
              value={filters.direction ?? ''}
              onChange={({ target }) => onChange({ direction: target.value || undefined })}
            />
            {(tokens.length > 1 || filters.token_id !== undefined) && (
              <SelectOne
                label="Token"
                hideLabel={hideLabel}
                options={tokenOptions}
                value={filters.token_id ?? ''}
                onChange={(id) => onChange({ token: id || undefined })}
              />
            )}
            <Select
              label="Jenis"
              hideLabel={hideLabel}
              options={typeOptions}
              value={filters.type ?? ''}
              onChange={({ target }) => onChange({ type: target.value || undefined })}
            />
          </>
        )}
      </ListFilters>
    </div>
  );
}
