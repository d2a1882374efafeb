import { Download } from 'lucide-react';
import type { CSSProperties, ReactNode } from 'react';
import styles from '#web/ui/media/media.module.css';
import { classes } from '#web/ui/classes.ts';
import { clockText } from '#web/ui/media/media.ts';
import type { MediaClock } from '#web/ui/media/useMediaClock.ts';

type Props = {
  clock: Pick<MediaClock<HTMLMediaElement>, 'at' | 'duration' | 'goTo'>;
  what: string;
  /** Without a track, over a waveform. */
  bare?: boolean;
};

/** A medium's position: draggable, and movable by keys. */
export function MediaSlider({ clock: { at, duration, goTo }, what, bare = false }: Props) {
  const end = duration > 0 ? duration : 1;
  return (
    <input
      type="range"
      className={classes(
        'w-full pointer',
        styles['slider'],
        bare && classes('relative', styles['bare']),
      )}
      aria-label={`Posisi ${what}`}
      aria-valuetext={`${clockText(at)} dari ${clockText(duration)}`}
      min={0}
      max={end}
      step="any"
      value={Math.min(at, end)}
      style={{ '--played': `${(Math.min(1, at / end) * 100).toFixed(2)}%` } as CSSProperties}
      onChange={({ target }) => goTo(Number(target.value))}
    />
  );
}

type FailedProps = { what: string; src: string; icon: ReactNode };

/** Replaces the controls if this browser cannot play it. */
export const MediaFailed = ({ what, src, icon }: FailedProps) => (
  <span className="row gap-10 small muted py-6" role="status">
    {icon}
    <span>
      Browser ini tidak dapat memutar {what}.{' '}
      <a href={src} download className="inline-flex align-center gap-4 min-h-24">
        <Download size={14} />
        Unduh
      </a>
    </span>
  </span>
);
