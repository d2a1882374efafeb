import { Link } from '#web/browser/router/Link.tsx';
import type { HomeSummary } from '#contract/messages.ts';
import { percentOf, segmentsOf } from '#contract/messages/counts.ts';
import { formatNumber } from '#contract/base/money.ts';
import { civilDate, formatDate } from '#contract/base/time.ts';
import { changeFrom, periodSentence, todaySentence } from '#web/features/home/figures.ts';
import styles from '#web/features/home/home.module.css';
import { classes } from '#web/ui/classes.ts';
import { statusSegments } from '#web/features/messages/messages.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { SmallBars } from '#web/ui/chart/SmallBars.tsx';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';

const figures = [
  { key: 'sent', label: 'Terkirim' },
  { key: 'delivered', label: 'Sampai' },
  { key: 'read', label: 'Dibaca' },
  { key: 'failed', label: 'Gagal' },
] as const;

type Shown = (typeof figures)[number]['key'];

export const Today = ({ today, yesterday }: Pick<HomeSummary, 'today' | 'yesterday'>) => (
  <Panel title="Hari ini">
    <Stats>
      {figures.map(({ key, label }) => (
        <Stat
          key={key}
          label={label}
          value={formatNumber(today[key])}
          change={changeFrom(yesterday[key], today[key])}
          since="dari kemarin"
          lessIsBetter={key === 'failed'}
        >
          {shareOf(key, today)}
          {key === 'failed' && today.failed > 0 && <FailedLink />}
        </Stat>
      ))}
    </Stats>
  </Panel>
);

/** The share of a figure in words; null without anything to compare. */
function shareOf(key: Shown, { accepted, sent, ...counts }: HomeSummary['today']): string | null {
  if (key === 'sent') return null;
  const percent = percentOf(counts[key], key === 'failed' ? accepted : sent);
  if (percent === null) return null;
  return key === 'failed'
    ? `${percent} dari ${formatNumber(accepted)} pesan. `
    : `${percent} dari yang terkirim`;
}

function FailedLink() {
  const day = civilDate(new Date());
  return (
    <Link to="/message-history" search={{ status: ['failed'], from: day, to: day }}>
      Lihat sebabnya
    </Link>
  );
}

export const TodaySkeleton = () => (
  <Panel title="Hari ini">
    <Stats>
      {figures.map(({ key, label }) => (
        <Stat key={key} label={label} value={<Skeleton width={48} />}>
          <Skeleton width={110} />
        </Stat>
      ))}
    </Stats>
  </Panel>
);

/** The same in words, while too few days have data for figures and a chart. */
export function Sentences({ today, days }: Pick<HomeSummary, 'today' | 'days'>) {
  const { waiting, failed } = today;
  const period = periodSentence(days);
  return (
    <Panel title="Pesan Anda">
      <div className={classes('card py-16 px-18', styles['box'])}>
        <p className="large strong pretty">{todaySentence(today)}</p>
        {waiting > 0 && <p>{formatNumber(waiting)} pesan masih antre.</p>}
        {failed > 0 && (
          <p>
            {formatNumber(failed)} pesan gagal. <FailedLink />
          </p>
        )}
        {period && <p>{period}</p>}
        <p className="small faint">
          Angka dan grafik per hari tampil setelah Anda mengirim pesan pada tujuh hari yang berbeda.
        </p>
      </div>
    </Panel>
  );
}

export const SentencesSkeleton = () => (
  <Panel title="Pesan Anda">
    <div className={classes('card py-16 px-18', styles['box'])}>
      <Skeleton lines={3} height={20} />
    </div>
  </Panel>
);

const columns = [
  { key: 'all_sent', label: 'Terkirim' },
  { key: 'all_delivered', label: 'Sampai' },
  { key: 'read', label: 'Dibaca' },
  { key: 'waiting', label: 'Antre' },
  { key: 'failed', label: 'Gagal' },
] as const;

export function Days({ days }: { days: HomeSummary['days'] }) {
  const bars = days.map((day) => ({
    // Noon keeps the date in every zone of Indonesia.
    label: formatDate(`${day.date}T12:00:00+07:00`),
    values: {
      ...segmentsOf(day),
      waiting: day.waiting,
      failed: day.failed,
      all_sent: day.sent,
      all_delivered: day.delivered,
    },
  }));
  return (
    <Panel title="30 hari terakhir">
      <SmallBars
        title="Pesan keluar per hari"
        series={statusSegments}
        columns={columns}
        bars={bars}
      />
    </Panel>
  );
}
