import { ListChecks } from 'lucide-react';
import { Button } from '#web/ui/button/Button.tsx';
import { ChooseAll, Choose } from '#web/ui/table/selection/Choose.tsx';
import styles from '#web/ui/table/selection/selection.module.css';
import type { Picking, Selection, TableProps, SelectionParts } from '#web/ui/table/tableProps.ts';

type Props<Row> = { table: TableProps<Row>; selection: Selection<Row>; picking: Picking };

/** Shows the checkboxes of cards. */
export function PickButton<Row>({ table, picking }: Omit<Props<Row>, 'selection'>) {
  if (table.rows.length === 0 && !table.loading && !picking.on) return null;
  return (
    <div className={styles['pick']}>
      <Button
        variant="outline"
        tone="neutral"
        size="sm"
        icon={<ListChecks size={16} />}
        aria-pressed={picking.on}
        aria-label={`Pilih baris, ${table.caption}`}
        disabled={table.rows.length === 0 && !picking.on}
        onClick={() => picking.set(!picking.on)}
      >
        Pilih
      </Button>
    </div>
  );
}

/**
 * The number of selected rows and their actions: last in the table, and at the bottom of the window while the table is
 * longer, so that nothing shifts when it appears.
 */
export function SelectionBar<Row>({ table, selection, picking }: Props<Row>) {
  const count = selection.chosen.size;
  const stop = () => {
    selection.onChoose(new Set());
    picking.set(false);
  };
  return (
    <>
      <p className="sr-only" role="status">
        {count === 0 ? '' : `${count} baris dipilih`}
      </p>
      {(count > 0 || picking.on) && (
        <div className={styles['bar']} role="group" aria-label={`Baris terpilih, ${table.caption}`}>
          <div className={styles['phoneAll']}>
            <ChooseAll table={table} selection={selection} />
          </div>
          <p className={styles['count']}>
            {count === 0 ? 'Ketuk baris untuk memilih' : `${count} dipilih`}
          </p>
          {count > 0 && <div className={styles['actions']}>{selection.actions}</div>}
          <Button variant="link" tone="neutral" size="sm" onClick={stop}>
            {count === 0 ? 'Selesai' : 'Kosongkan pilihan'}
          </Button>
        </div>
      )}
    </>
  );
}

/** The components for a table with a `selection`. */
export const selectionParts: SelectionParts = { Choose, ChooseAll, SelectionBar, PickButton };
