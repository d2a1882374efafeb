import { civilDate } from '#contract/base/time.ts';
import { deliveryStateLabel, eventTypeLabel, eventTypes } from '#contract/webhooks.ts';
import {
  noFilters,
  rangeOf,
  type FilterSearch,
  type Filters,
} from '#web/features/webhooks/deliveries/filters.ts';
import styles from '#web/features/webhooks/webhooks.module.css';
import { classes } from '#web/ui/classes.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords } from '#web/ui/date/dates.ts';
import type { Option } from '#web/ui/select/options.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { ListFilters } from '#web/ui/table/list/ListFilters.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';

const stateOptions: readonly Option[] = [
  { value: '', label: 'Semua status' },
  ...Object.entries(deliveryStateLabel).map(([value, label]) => ({ value, label })),
];
const typeOptions: readonly Option[] = [
  { value: '', label: 'Semua jenis' },
  ...eventTypes.map((value) => ({ value, label: eventTypeLabel[value] })),
];

type Props = {
  search: FilterSearch;
  filters: Filters;
  onChange: (next: FilterSearch) => void;
};

export const DeliveryFilters = ({ search, filters, onChange }: Props) => (
  <div
    className={classes('row wrap gap-8', styles['filters'])}
    role="search"
    aria-label="Saring pengiriman"
  >
    <SearchField
      label="Cari nomor"
      placeholder="Cari nomor"
      className={styles['search']}
      maxLength={40}
      value={search.peer ?? ''}
      error={search.peer && !filters.peer ? 'Tulis nomornya dengan lengkap.' : undefined}
      onSearch={(peer) => onChange({ peer: peer || undefined })}
    />
    <ListFilters
      title="Saring pengiriman"
      count={[filters.state, filters.type, rangeOf(search)].filter(Boolean).length}
      onReset={() => onChange(noFilters)}
    >
      {(hideLabel) => (
        <>
          <Select
            label="Status"
            hideLabel={hideLabel}
            options={stateOptions}
            value={filters.state ?? ''}
            onChange={({ target }) => onChange({ state: target.value || undefined })}
          />
          <Select
            label="Peristiwa"
            hideLabel={hideLabel}
            options={typeOptions}
            value={filters.type ?? ''}
            onChange={({ target }) => onChange({ type: target.value || undefined })}
          />
          <DatePicker
            label="Tanggal (WIB)"
            labels={dateWords}
            hideLabel={hideLabel}
            value={rangeOf(search)}
            max={civilDate(new Date())}
            onChange={(range) => onChange({ from: range?.from, to: range?.to })}
          />
        </>
      )}
    </ListFilters>
  </div>
);
