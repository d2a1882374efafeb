import type { ReactNode } from 'react';
import { classes } from '#web/ui/classes.ts';
import styles from '#web/ui/status/CountBadge.module.css';

type BadgeProps = { className?: string | undefined; children: ReactNode };

/** A count that asks for attention; not there while there is nothing in it. */
export const CountBadge = ({ className, children }: BadgeProps) => (
  <b className={classes(styles['count'], className)}>{children}</b>
);

type CountProps = {
  count: number;
  /** What is counted, for screen readers: `belum dibaca`. */
  of: string;
};

/** What a badge says: the count, `99+` from a hundred on; nothing for none. */
export const ShortCount = ({ count, of }: CountProps) =>
  count > 0 && (
    <>
      {count > 99 ? '99+' : count}
      <span className="sr-only"> {of}</span>
    </>
  );
