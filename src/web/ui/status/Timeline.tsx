import type { ReactNode } from 'react';
import type { Tone } from '#web/ui/status/StatusChip.tsx';
import styles from '#web/ui/status/Timeline.module.css';

export type TimelineEntry = {
  key: string;
  title: ReactNode;
  /** When it happened, formatted; omitted for future steps. */
  time?: string;
  at?: Date;
  /** The time since the previous step. */
  lapse?: string;
  detail?: ReactNode;
  tone?: Tone;
  pending?: boolean;
};

/** Events in chronological order. */
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
