import styles from '#web/ui/table/table.module.css';
import { classes } from '#web/ui/classes.ts';
import type { Separator } from '#web/ui/table/useColumnWidths.ts';

type Props = { column: string; separator: Separator };

export const ColumnSeparator = ({ column, separator }: Props) => (
  <span
    role="separator"
    aria-orientation="vertical"
    aria-label={`Lebar kolom ${column}`}
    tabIndex={0}
    className={classes('fine-only', styles['separator'])}
    {...separator}
  />
);
