import { Rows3, Rows4 } from 'lucide-react';
import type { Column } from '#web/ui/table/tableProps.ts';
import styles from '#web/ui/table/table.module.css';
import { classes } from '#web/ui/classes.ts';
import { setDensity, useDensity } from '#web/ui/table/density.ts';
import type { Sort } from '#web/ui/table/sort.ts';
import { Select } from '#web/ui/select/Select.tsx';

type PhoneSortProps<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  sort: Sort | null | undefined;
  onSort: (sort: Sort) => void;
};

/** The sort options as a list, for cards without headers. */
export function PhoneSort<Row>({ caption, columns, sort, onSort }: PhoneSortProps<Row>) {
  const sortable = columns.filter((column) => column.sortable);
  if (sortable.length === 0) return null;
  const options = sortable.flatMap(({ id, title }) => [
    { value: `asc ${id}`, label: `${title}, naik` },
    { value: `desc ${id}`, label: `${title}, turun` },
  ]);
  return (
    <div className={styles['phoneSort']}>
      <Select
        label={`Urutkan ${caption}`}
        hideLabel
        placeholder="Urutkan"
        options={options}
        value={sort ? `${sort.sort_type} ${sort.sort_by}` : ''}
        onChange={({ target }) => {
          const [type, id = ''] = target.value.split(' ');
          onSort({ sort_by: id, sort_type: type === 'desc' ? 'desc' : 'asc' });
        }}
      />
    </div>
  );
}

/** Toggles rows of 36 px instead of 44, for all tables; touch devices always get 44. */
export function DensityButton({ caption }: { caption: string }) {
  const compact = useDensity() === 'compact';
  const Icon = compact ? Rows4 : Rows3;
  return (
    <button
      type="button"
      className={classes(
        'place-center flex-none ms-auto faint size-36 rounded hover-ink fine-only',
        styles['density'],
      )}
      aria-label={`Baris rapat, ${caption}`}
      title="Baris rapat"
      aria-pressed={compact}
      onClick={() => setDensity(compact ? 'normal' : 'compact')}
    >
      <Icon size={18} />
    </button>
  );
}
