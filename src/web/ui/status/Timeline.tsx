import type { ReactNode } from 'react';
import type { Tone } from '#web/ui/status/StatusChip.tsx';
import styles from '#web/ui/status/status.module.css';
import { classes } from '#web/ui/classes.ts';

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
  <ol className="grid">
    {entries.map(({ key, title, time, at, lapse, detail, tone = 'neutral', pending }) => (
      <li
        key={key}
        className={classes('grid gap-2 gap-x-12 relative', styles['entry'])}
        data-hue={tone}
        data-pending={pending || undefined}
      >
        <span className={classes('strong', styles['title'])}>{title}</span>
        {time && (
          <time className="small faint num nowrap" dateTime={at?.toISOString()}>
            {time}
          </time>
        )}
        {lapse && <p className="small faint num col-all">{lapse}</p>}
        {detail && <div className="small muted col-all leading-text">{detail}</div>}
      </li>
    ))}
  </ol>
);
