import { Minus, TrendingDown, TrendingUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import styles from '#web/ui/chart/chart.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  label: ReactNode;
  value: ReactNode;
  /** The relative change as a fraction: 0.12 is 12 % more; null: nothing to compare. */
  change?: number | null;
  /** The reference: 'dari kemarin'. */
  since?: string;
  /** An increase is bad (failures): swaps the colours. */
  lessIsBetter?: boolean;
  children?: ReactNode;
};

/** A figure and its change. Put several in a `Stats`. */
export function Stat({ label, value, change, since, lessIsBetter = false, children }: Props) {
  return (
    <div className={classes('py-16 px-16 surface', styles['stat'])}>
      <dt className="small muted">{label}</dt>
      <dd>
        <span className="block mt-4 figure num break-anywhere">{value}</span>
        {change !== undefined && change !== null && (
          <Change change={change} since={since} lessIsBetter={lessIsBetter} />
        )}
        {children && <span className="block mt-6 small faint">{children}</span>}
      </dd>
    </div>
  );
}

type ChangeProps = { change: number; since: string | undefined; lessIsBetter: boolean };

function Change({ change, since, lessIsBetter }: ChangeProps) {
  const Icon = change > 0 ? TrendingUp : change < 0 ? TrendingDown : Minus;
  const good = change === 0 ? undefined : change > 0 !== lessIsBetter;
  return (
    <span
      className={classes(
        'row mt-6 tiny strong gap-4',
        good === undefined ? 'faint' : good ? 'text-success' : 'text-danger',
      )}
    >
      <Icon size={14} aria-hidden="true" />
      <span>
        <span className="sr-only">{change > 0 ? 'naik ' : change < 0 ? 'turun ' : ''}</span>
        {change === 0 ? 'Tetap' : `${formatNumber(Math.abs(change) * 100)}%`}
        {since && <span className="faint regular"> {since}</span>}
      </span>
    </span>
  );
}

export const Stats = ({ children }: { children: ReactNode }) => (
  <dl className="flex wrap gap-2 border rounded-lg bg-line overflow-hidden">{children}</dl>
);
