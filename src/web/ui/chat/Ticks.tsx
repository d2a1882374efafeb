import { Ban, CalendarClock, CircleAlert, Clock, LoaderCircle, TimerOff } from 'lucide-react';
import { Check, CheckCheck } from '#web/ui/chat/icons.tsx';
import styles from '#web/ui/chat/thread/thread.module.css';
import { classes } from '#web/ui/classes.ts';

const marks = {
  scheduled: { Icon: CalendarClock, word: 'Terjadwal' },
  waiting: { Icon: Clock, word: 'Antre' },
  sending: { Icon: LoaderCircle, word: 'Mengirim' },
  sent: { Icon: Check, word: 'Terkirim' },
  delivered: { Icon: CheckCheck, word: 'Sampai' },
  read: { Icon: CheckCheck, word: 'Dibaca' },
  failed: { Icon: CircleAlert, word: 'Gagal' },
  cancelled: { Icon: Ban, word: 'Dibatalkan' },
  expired: { Icon: TimerOff, word: 'Kedaluwarsa' },
} as const;

export type Mark = keyof typeof marks;

type Props = {
  mark: Mark;
  word?: string;
  /** Shows the icon only (in a bubble); the text remains for screen readers. */
  iconOnly?: boolean;
};

/** A delivery state: icon and text; the colour is redundant. */
export function Ticks({ mark, word, iconOnly = false }: Props) {
  const { Icon, word: own } = marks[mark];
  return (
    <span
      className={classes(
        'inline-flex align-baseline gap-6 muted nowrap',
        styles['ticks'],
        styles[mark],
      )}
    >
      <Icon size={16} aria-hidden="true" />
      <span className={iconOnly ? 'sr-only' : undefined}>{word ?? own}</span>
    </span>
  );
}
