import { UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from '#web/ui/avatar/Avatar.module.css';
import { useBroken } from '#web/ui/media/useBroken.ts';
import { classes } from '#web/ui/classes.ts';
import { initials, pickFor } from '#web/ui/avatar/initials.ts';

const grounds = ['primary', 'success', 'warning', 'danger', 'info', 'gray'] as const;

/** The default texts of the dot: the states of a token. */
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
  /** The status for screen readers; omitted: the status's default text. */
  statusText?: string;
  icon?: ReactNode;
  /** Omitted: derived from the name. */
  bg?: (typeof grounds)[number];
  /** 24, 32, 40 (default), 56 and 80 px. */
  size?: 'xs' | 'sm' | 'md' | 'lg' | 'xl';
  /** Hides the avatar from screen readers, for use beside the name. */
  decorative?: boolean;
};

/** A person's picture, or the initials of the first two words of the name; an icon for a name without letters. */
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
      className={classes(
        'flex-none strong leading-none relative',
        styles['avatar'],
        styles[size],
        shape === 'square' ? 'rounded' : 'rounded-full',
        bg === 'gray' && styles['gray'],
      )}
      data-hue={bg}
      aria-hidden={decorative || undefined}
    >
      {src && !broken ? (
        <img src={src} alt={name} className={classes('w-full', styles['picture'])} onError={fail} />
      ) : (
        <span role="img" aria-label={name} className={styles['letters']}>
          {icon ?? (initials(name) || <UserRound />)}
        </span>
      )}
      {status && (
        <span className={styles['dot']} data-hue={status}>
          <span className="sr-only">{statusText ?? words[status]}</span>
        </span>
      )}
    </span>
  );
}
