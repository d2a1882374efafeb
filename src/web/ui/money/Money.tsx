import { formatRupiah } from '#contract/base/money.ts';
import styles from '#web/ui/money/Money.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  /** Whole rupiah. */
  amount: number;
  /** Shows `+` before what comes in, and colours it. */
  signed?: boolean;
};

/** Rupiah, in figures of one width. */
export function Money({ amount, signed = false }: Props) {
  const plus = signed && amount > 0;
  return (
    <span className={classes(styles['money'], plus && styles['in'])}>
      {plus && '+'}
      {formatRupiah(amount)}
    </span>
  );
}
