import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatRupiah } from '#contract/base/money.ts';
import { saldoQuery } from '#web/features/saldo/queries.ts';
import styles from '#web/app/layout/Saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Tooltip } from '#web/ui/overlay/Tooltip.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** For the rail of 64 px: `1,2 jt`. */
const compact = new Intl.NumberFormat('id-ID', { notation: 'compact', maximumFractionDigits: 1 });

/** The balance, always in sight; leads to its page. With `named` a tooltip says the whole of it. */
export function Saldo({ short = false, named = false }: { short?: boolean; named?: boolean }) {
  const { data } = useQuery(saldoQuery);
  const amount = data ? <Money amount={data.available} /> : <Skeleton width={88} />;
  const narrow = data && compact.format(data.available);
  return (
    <Tooltip text={data ? `Saldo ${formatRupiah(data.available)}` : 'Saldo'} off={!named}>
      <Link to="/saldo" className={classes(styles['saldo'], short && styles['short'])}>
        <span className={short ? 'sr-only' : styles['label']}>Saldo </span>
        <span className={styles['amount']}>{amount}</span>
        {!short && (
          <span className={styles['narrow']} aria-hidden="true">
            {narrow}
          </span>
        )}
        {!short && data !== undefined && data.held > 0 && (
          <span className={styles['held']}>
            {' '}
            Tertahan <Money amount={data.held} />
          </span>
        )}
      </Link>
    </Tooltip>
  );
}
