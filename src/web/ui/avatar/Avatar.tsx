import { UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from '#web/ui/avatar/Avatar.module.css';
import { useBroken } from '#web/ui/media/useBroken.ts';
import { classes } from '#web/ui/classes.ts';
import { initials, pickFor } from '#web/ui/avatar/initials.ts';

const grounds = ['primary', 'success', 'warning', 'danger', 'info', 'gray'] as const;

/** What a dot means where nobody says otherwise: the states of a token. */
const words = {
  primary: 'Baru',
  success: 'Tersambung',
  warning: 'Perlu perhatian',
  danger: 'Terputus',
  info: 'Menghubungkan',
} as const;

type Props = {
  name: string;
  src?: string;
  shape?: 'round' | 'square';
  status?: keyof typeof words;
  /** What the status means, for who cannot see the dot; left out: the status's own word. */
  statusText?: string;
  /** In place of the initials. */
  icon?: ReactNode;
  /** Left out: always the same one for the same name. */
  bg?: (typeof grounds)[number];
  /** 24, 32, 40 (default), 56 and 80 px. */
  size?: 'xs' | 'sm' | 'md' | 'lg' | 'xl';
  /** The name stands beside it anyway: leave it out for screen readers. */
  decorative?: boolean;
};

/**
 * A person's picture, or the initials of the first two words of the name; a figure for a name
 * without letters.
 */
export function Avatar({
  name,
  src,
  shape = 'round',
  status,
  statusText,
  icon,
  bg = grounds[pickFor(name, grounds.length)] ?? 'primary',
  size = 'md',
  decorative = false,
}: Props) {
  const { broken, fail } = useBroken(src);
  return (
    <span
      className={classes(styles['avatar'], styles[size], styles[shape], styles[bg])}
      aria-hidden={decorative || undefined}
    >
      {src && !broken ? (
        <img src={src} alt={name} className={styles['picture']} onError={fail} />
      ) : (
        <span role="img" aria-label={name} className={styles['letters']}>
          {icon ?? (initials(name) || <UserRound />)}
        </span>
      )}
      {status && (
        <span className={styles['dot']} data-status={status}>
          <span className="sr-only">{statusText ?? words[status]}</span>
        </span>
      )}
    </span>
  );
}
