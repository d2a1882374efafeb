import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { ChevronRight, Landmark } from 'lucide-react';
import { type Topup, topupMethodLabel, topupStatusLabel } from '#contract/saldo.ts';
import { recentTopupsQuery } from '#web/features/saldo/queries.ts';
import { topupTone } from '#web/features/saldo/topups/topups.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { showCountdown } from '#web/ui/time/countdown.ts';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

export function Topups() {
  const topups = useQuery(recentTopupsQuery);
  return (
    <Panel title="Isi saldo">
      {topups.isPending && <LoadingRows />}
      {topups.isError && !topups.data && <WentWrong query={topups} />}
      {topups.data?.length === 0 && (
        <EmptyState icon={<Landmark size={24} />} title="Isi saldo Anda akan tampil di sini.">
          Pilih nominal dan cara bayar; saldo bertambah otomatis begitu pembayarannya masuk.
        </EmptyState>
      )}
      {topups.data && topups.data.length > 0 && (
        <TopupLines topups={topups.data} onEnd={() => void topups.refetch()} />
      )}
    </Panel>
  );
}

type LinesProps = { topups: readonly Topup[]; onEnd: () => void };

export const TopupLines = ({ topups, onEnd }: LinesProps) => (
  <ul className="stack border-t divided container">
    {topups.map((topup) => (
      <li key={topup.id}>
        <Line topup={topup} onEnd={onEnd} />
      </li>
    ))}
  </ul>
);

function Line({ topup, onEnd }: { topup: Topup; onEnd: () => void }) {
  const pending = topup.status === 'pending';
  return (
    <Link
      to="/saldo"
      change={{ open: topup.id, new: undefined }}
      resetScroll={false}
      className={classes('grid align-baseline gap-2 gap-x-12 no-underline', styles['line'])}
      data-row="open"
    >
      <span className="large strong">
        <Money amount={topup.total} />
      </span>
      <span className="justify-self-end">
        <StatusChip tone={topupTone[topup.status]}>{topupStatusLabel[topup.status]}</StatusChip>
      </span>
      <span className={classes('small faint num', styles['when'])}>
        {topupMethodLabel[topup.method]} ·{' '}
        {pending ? (
          <Countdown
            until={topup.expires_at}
            onEnd={onEnd}
            show={(seconds) => `bayar dalam ${showCountdown(seconds)}`}
            ended="waktunya habis"
          />
        ) : (
          <DateTime at={topup.paid_at ?? topup.created_at} />
        )}
      </span>
      <ChevronRight size={18} className={styles['arrow']} />
    </Link>
  );
}

const LoadingRows = () => (
  <div className="stack border-t divided container" aria-busy="true">
    {[0, 1, 2].map((line) => (
      <div
        key={line}
        className={classes('grid align-baseline gap-2 gap-x-12 no-underline', styles['line'])}
      >
        <span className="large strong">
          <Skeleton width="7em" />
        </span>
        <span className="justify-self-end">
          <Skeleton width="9em" />
        </span>
        <span className={classes('small faint num', styles['when'])}>
          <Skeleton width="8em" />
        </span>
      </div>
    ))}
  </div>
);
