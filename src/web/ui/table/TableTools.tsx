import { Rows3, Rows4 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '#web/ui/button/Button.tsx';
import boxes from '#web/ui/form/Checkbox.module.css';
import type { Column, Selection, TableProps } from '#web/ui/table/tableProps.ts';
import styles from '#web/ui/table/TableTools.module.css';
import { setDensity, useDensity } from '#web/ui/table/density.ts';
import { allToggled, chosenOf } from '#web/ui/table/selection.ts';
import type { Sort } from '#web/ui/table/sort.ts';
import { Select } from '#web/ui/select/Select.tsx';

type PhoneSortProps<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  sort: Sort | null | undefined;
  onSort: (sort: Sort) => void;
};

/** Where rows are two lines there are no headers to press: the same choices as a list. */
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
        size="sm"
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

type ChoosingProps<Row> = { table: TableProps<Row>; selection: Selection<Row> };

/** The box above the boxes: all shown rows, or none; a dash when some are chosen. */
export function ChooseAll<Row>({ table: { rows, rowKey }, selection }: ChoosingProps<Row>) {
  const box = useRef<HTMLInputElement>(null);
  const keys = rows.map(rowKey);
  const state = chosenOf(selection.chosen, keys);
  useEffect(() => {
    if (box.current) box.current.indeterminate = state === 'some';
  }, [state]);
  return (
    <label className={styles['tick']}>
      <input
        ref={box}
        type="checkbox"
        className={boxes['box']}
        aria-label="Pilih semua baris di halaman ini"
        disabled={rows.length === 0}
        checked={state === 'all'}
        onChange={() => selection.onChoose(allToggled(selection.chosen, keys))}
      />
    </label>
  );
}

/** How many rows are chosen and what to do with them; it is always there, so that nothing jumps. */
export function ChosenBar<Row>({
  caption,
  table,
  selection,
}: ChoosingProps<Row> & { caption: string }) {
  const count = selection.chosen.size;
  return (
    <div className={styles['chosen']} role="group" aria-label={`Baris terpilih, ${caption}`}>
      <div className={styles['phoneAll']}>
        <ChooseAll table={table} selection={selection} />
      </div>
      <p role="status">{count === 0 ? 'Belum ada baris dipilih' : `${count} baris dipilih`}</p>
      {count > 0 && (
        <>
          {selection.actions}
          <Button
            variant="link"
            tone="neutral"
            size="sm"
            onClick={() => selection.onChoose(new Set())}
          >
            Batalkan pilihan
          </Button>
        </>
      )}
    </div>
  );
}

/** Rows of 36 px instead of 44, for all tables; fingers always get 44. */
export function DensityButton({ caption }: { caption: string }) {
  const compact = useDensity() === 'compact';
  const Icon = compact ? Rows4 : Rows3;
  return (
    <button
      type="button"
      className={styles['density']}
      aria-label={`Baris rapat, ${caption}`}
      title="Baris rapat"
      aria-pressed={compact}
      onClick={() => setDensity(compact ? 'normal' : 'compact')}
    >
      <Icon size={18} />
    </button>
  );
}
