import type { ReactNode } from 'react';
import styles from '#web/ui/layout/SplitView.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  list: ReactNode;
  /** What is open of the list; undefined for nothing. */
  detail: ReactNode | undefined;
  /** In the place of the detail while nothing is open. */
  none: ReactNode;
  /** The list's lines need more room. */
  wideList?: boolean;
};

/**
 * A list beside what is open of it; on phones one after the other. On wide screens it takes the height that
 * is left: put it into a page of the class `full`.
 */
export function SplitView({ list, detail, none, wideList = false }: Props) {
  const isOpen = detail !== undefined;
  return (
    <div className={classes(styles['view'], wideList && styles['wideList'])}>
      <div className={classes(styles['list'], isOpen && styles['away'])}>{list}</div>
      <div className={classes(styles['detail'], !isOpen && styles['away'])}>
        {isOpen ? detail : <div className={styles['none']}>{none}</div>}
      </div>
    </div>
  );
}
