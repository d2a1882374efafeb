import type { ReactNode } from 'react';
import styles from '#web/ui/status/status.module.css';
import { classes } from '#web/ui/classes.ts';

export type Tone = 'primary' | 'success' | 'info' | 'warning' | 'danger' | 'neutral';

type Props = {
  tone?: Tone;
  /** A lucide icon at `size={14}`; omitted: a dot. */
  icon?: ReactNode;
  children: ReactNode;
};

/** A state in one or two words; its colour is redundant. */
export const StatusChip = ({ tone = 'neutral', icon, children }: Props) => (
  <span
    className={classes(
      'inline-flex align-baseline gap-6 max-w-full min-h-24 rounded-full tiny strong nowrap forced-border',
      styles['chip'],
      tone === 'neutral' && styles['neutral'],
    )}
    data-hue={tone}
  >
    {icon ?? (
      <span className={classes('flex-none rounded-full', styles['dot'])} aria-hidden="true" />
    )}
    {children}
  </span>
);
