import { Link } from '#web/browser/router/Link.tsx';
import type { HomeSummary } from '#contract/messages.ts';
import { formatNumber } from '#contract/base/money.ts';
import { civilDate, formatDate } from '#contract/base/time.ts';
import { changeFrom, isQuiet, reached, type Reached } from '#web/features/home/figures.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { SmallBars, type Series } from '#web/ui/chart/SmallBars.tsx';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';

type TodayProps = { today: HomeSummary['today']; yesterday: HomeSummary['yesterday'] };

const figures: readonly { key: keyof Reached; label: string }[] = [
  { key: 'sent', label: 'Terkirim' },
  { key: 'delivered', label: 'Sampai' },
  { key: 'read', label: 'Dibaca' },
  { key: 'failed', label: 'Gagal' },
];

export function Today({ today, yesterday }: TodayProps) {
  const [now, before] = [reached(today), reached(yesterday)];
  const day = civilDate(new Date());
  return (
    <Panel title="Hari ini">
      <Stats>
        {figures.map(({ key, label }) => (
          <Stat
            key={key}
            label={label}
            value={formatNumber(now[key])}
            change={changeFrom(before[key], now[key])}
            since="dari kemarin"
            lessIsBetter={key === 'failed'}
          >
            {key === 'failed' && now.failed > 0 && (
              <Link to="/message-history" search={{ status: ['failed'], from: day, to: day }}>
                Lihat sebabnya
              </Link>
            )}
          </Stat>
        ))}
      </Stats>
    </Panel>
  );
}

export const TodaySkeleton = () => (
  <Panel title="Hari ini">
    <Stats>
      {figures.map(({ key, label }) => (
        <Stat key={key} label={label} value={<Skeleton width={48} />} />
      ))}
    </Stats>
  </Panel>
);

const series: readonly Series[] = [
  { key: 'read', label: 'Dibaca', color: 'toska' },
  { key: 'delivered', label: 'Sampai', color: 'langit' },
  { key: 'sent', label: 'Terkirim', color: 'pandan' },
  { key: 'waiting', label: 'Antre', color: 'kunyit' },
  { key: 'failed', label: 'Gagal', color: 'bata' },
];

export function Days({ days }: { days: HomeSummary['days'] }) {
  const bars = days.map(({ date, ...values }) => ({
    // Noon keeps the date in every zone of Indonesia.
    label: formatDate(`${date}T12:00:00+07:00`),
    values,
  }));
  return (
    <Panel title="30 hari terakhir">
      {isQuiet(days) ? (
        <EmptyState title="Belum ada pesan keluar dalam 30 hari terakhir." />
      ) : (
        <SmallBars title="Pesan keluar per hari menurut status" series={series} bars={bars} />
      )}
    </Panel>
  );
}
