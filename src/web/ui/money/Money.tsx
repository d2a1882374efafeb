import { formatRupiah } from '#contract/base/money.ts';
import { classes } from '#web/ui/classes.ts';

type Props = {
  /** Whole rupiah. */
  amount: number;
  /** Colours incoming amounts, with a `+`. */
  signed?: boolean;
};

/** Rupiah in tabular figures. */
export function Money({ amount, signed = false }: Props) {
  const plus = signed && amount > 0;
  return (
    <span className={classes('num nowrap', plus && 'text-success')}>
      {plus && '+'}
      {formatRupiah(amount)}
    </span>
  );
}
