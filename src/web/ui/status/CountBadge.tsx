import type { ReactNode } from 'react';
import { classes } from '#web/ui/classes.ts';
import styles from '#web/ui/status/status.module.css';

type BadgeProps = { className?: string | undefined; children: ReactNode };

/** A count that needs attention; hidden when empty. */
export const CountBadge = ({ className, children }: BadgeProps) => (
  <b className={classes('hide-empty', styles['count'], className)}>{children}</b>
);

type CountProps = {
  count: number;
  /** The counted items, for screen readers: `belum dibaca`. */
  of: string;
};

/** The badge's text: the count, `99+` from a hundred on; empty for 0. */
export const ShortCount = ({ count, of }: CountProps) =>
  count > 0 && (
    <>
      {count > 99 ? '99+' : count}
      <span className="sr-only"> {of}</span>
    </>
  );
