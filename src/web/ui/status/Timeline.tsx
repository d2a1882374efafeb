import type { ReactNode } from 'react';
import type { Tone } from '#web/ui/status/StatusChip.tsx';
import styles from '#web/ui/status/Timeline.module.css';

export type TimelineEntry = {
  key: string;
  title: ReactNode;
  /** When it happened, formatted; left out for what is still to come. */
  time?: string;
  at?: Date;
  /** How long it took since the step before. */
  lapse?: string;
  /** Why, or what to do. */
  detail?: ReactNode;
  tone?: Tone;
  /** Has not happened yet. */
  pending?: boolean;
};

/** What happened, in order of time. */
export const Timeline = ({ entries }: { entries: readonly TimelineEntry[] }) => (
  <ol className={styles['timeline']}>
    {entries.map(({ key, title, time, at, lapse, detail, tone = 'neutral', pending }) => (
      <li
        key={key}
        className={styles['entry']}
        data-tone={tone}
        data-pending={pending || undefined}
      >
        <span className={styles['title']}>{title}</span>
        {time && (
          <time className={styles['time']} dateTime={at?.toISOString()}>
            {time}
          </time>
        )}
        {lapse && <p className={styles['lapse']}>{lapse}</p>}
        {detail && <div className={styles['detail']}>{detail}</div>}
      </li>
    ))}
  </ol>
);
