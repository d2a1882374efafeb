import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { formatCompact, formatRupiah } from '#contract/base/money.ts';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
import styles from '#web/app/layout/frame.module.css';
import { classes } from '#web/ui/classes.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Tooltip } from '#web/ui/overlay/Tooltip.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** The balance, linked to its page. With `named` a tooltip has the full amount. */
export function Saldo({ short = false, named = false }: { short?: boolean; named?: boolean }) {
  const { data } = useQuery(saldoQuery);
  const amount = data ? <Money amount={data.available} /> : <Skeleton width={88} />;
  return (
    <Tooltip text={data ? `Saldo ${formatRupiah(data.available)}` : 'Saldo'} off={!named}>
      <Link to="/saldo" className={classes(styles['saldo'], short && styles['short'])}>
        <span className={short ? 'sr-only' : 'tiny'}>Saldo </span>
        <span className={classes('larger ink', styles['amount'])}>{amount}</span>
        {!short && (
          <span className={styles['narrow']} aria-hidden="true">
            {data && formatCompact(data.available)}
          </span>
        )}
        {!short && data !== undefined && data.held > 0 && (
          <span className={classes('tiny', styles['held'])}>
            {' '}
            Tertahan <Money amount={data.held} />
          </span>
        )}
      </Link>
    </Tooltip>
  );
}
