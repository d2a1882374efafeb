import { X } from 'lucide-react';
import { civilDate } from '#contract/base/time.ts';
import { deliveryStateLabel, eventTypeLabel, eventTypes } from '#contract/webhooks.ts';
import {
  noFilters,
  rangeOf,
  type FilterSearch,
  type Filters,
} from '#web/features/webhooks/deliveries/filters.ts';
import styles from '#web/features/webhooks/webhooks.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords } from '#web/ui/date/dates.ts';
import type { Option } from '#web/ui/select/options.ts';
import { Select } from '#web/ui/select/Select.tsx';
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
  <div className={styles['filters']} role="search" aria-label="Saring pengiriman">
    <SearchField
      label="Cari nomor"
      placeholder="Cari nomor"
      className={styles['search']}
      maxLength={40}
      value={search.peer ?? ''}
      error={search.peer && !filters.peer ? 'Tulis nomornya dengan lengkap.' : undefined}
      onSearch={(peer) => onChange({ peer: peer || undefined })}
    />
    <Select
      label="Status"
      hideLabel
      options={stateOptions}
      value={filters.state ?? ''}
      onChange={({ target }) => onChange({ state: target.value || undefined })}
    />
    <Select
      label="Peristiwa"
      hideLabel
      options={typeOptions}
      value={filters.type ?? ''}
      onChange={({ target }) => onChange({ type: target.value || undefined })}
    />
    <div className={styles['dates']}>
      <DatePicker
        label="Tanggal (WIB)"
        labels={dateWords}
        hideLabel
        value={rangeOf(search)}
        max={civilDate(new Date())}
        onChange={(range) => onChange({ from: range?.from, to: range?.to })}
      />
    </div>
    {Object.keys(filters).length > 0 && (
      <Button
        variant="link"
        tone="neutral"
        icon={<X size={16} />}
        onClick={() => onChange(noFilters)}
      >
        Hapus filter
      </Button>
    )}
  </div>
);
