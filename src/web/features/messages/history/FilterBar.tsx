import { SlidersHorizontal, X } from 'lucide-react';
import { useState } from 'react';
import {
  directionLabel,
  messageTypeLabel,
  MESSAGE_QUERY_MAX,
  statusFilterLabel,
  StatusFilter,
} from '#contract/messages.ts';
import type { Token } from '#contract/tokens.ts';
import { civilDate } from '#contract/base/time.ts';
import styles from '#web/features/messages/history/FilterBar.module.css';
import {
  countSet,
  noFilters,
  rangeOf,
  type FilterSearch,
  type Filters,
} from '#web/features/messages/history/filters.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { dateWords } from '#web/ui/date/dates.ts';
import { MultiSelect } from '#web/ui/select/MultiSelect.tsx';
import type { Option } from '#web/ui/select/options.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';
import { useWide } from '#web/ui/layout/useWide.ts';

type Props = {
  search: FilterSearch;
  filters: Filters;
  tokens: readonly Token[];
  onChange: (next: FilterSearch) => void;
};

export function FilterBar(props: Props) {
  const { search, filters, onChange } = props;
  const [open, setOpen] = useState(false);
  const wide = useWide();
  const set = countSet(filters);
  return (
    <div className={styles['bar']} role="search" aria-label="Saring pesan">
      <SearchField
        label="Cari nomor, nama, atau kata"
        placeholder="Nomor, nama, atau kata"
        className={styles['search']}
        maxLength={MESSAGE_QUERY_MAX}
        value={search.q ?? ''}
        onSearch={(q) => onChange({ q: q || undefined })}
      />
      {wide ? (
        <Choices {...props} />
      ) : (
        <Button
          variant="outline"
          tone="neutral"
          icon={<SlidersHorizontal size={18} />}
          square={set === 0}
          aria-label={set > 0 ? `Filter (${set})` : 'Filter'}
          onClick={() => setOpen(true)}
        >
          {set > 0 && set}
        </Button>
      )}
      {wide && Object.keys(filters).length > 0 && (
        <Button
          variant="link"
          tone="neutral"
          icon={<X size={16} />}
          onClick={() => onChange(noFilters)}
        >
          Hapus filter
        </Button>
      )}
      <Modal
        open={open && !wide}
        onClose={() => setOpen(false)}
        title="Saring pesan"
        footer={
          <>
            <Button variant="outline" tone="neutral" onClick={() => onChange(noFilters)}>
              Hapus filter
            </Button>
            <Button onClick={() => setOpen(false)}>Lihat pesan</Button>
          </>
        }
      >
        <div className={styles['sheet']}>
          <Choices {...props} labelled />
        </div>
      </Modal>
    </div>
  );
}

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

type ChoicesProps = Props & {
  labelled?: boolean;
};

function Choices({ search, filters, tokens, onChange, labelled = false }: ChoicesProps) {
  const hideLabel = !labelled;
  const tokenOptions: readonly Option[] = [
    { value: '', label: 'Semua token' },
    ...tokens.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const choose = (name: 'direction' | 'type') => ({
    hideLabel,
    onChange: ({ target }: { target: HTMLSelectElement }) =>
      onChange({ [name]: target.value || undefined }),
  });
  return (
    <>
      <div className={styles['dates']}>
        <DatePicker
          label="Tanggal"
          labels={dateWords}
          hideLabel={hideLabel}
          value={rangeOf(search)}
          max={civilDate(new Date())}
          onChange={(range) => onChange({ from: range?.from, to: range?.to })}
        />
      </div>
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
        options={directionOptions}
        value={filters.direction ?? ''}
        {...choose('direction')}
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
      <Select label="Jenis" options={typeOptions} value={filters.type ?? ''} {...choose('type')} />
    </>
  );
}
