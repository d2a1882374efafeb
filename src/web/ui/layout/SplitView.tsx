import type { ReactNode } from 'react';
import styles from '#web/ui/layout/SplitView.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  list: ReactNode;
  detail: ReactNode | undefined;
  none: ReactNode;
  wideList?: boolean;
};

/**
 * A list beside the open item; on phones one of both. On wide screens it takes the remaining height: put it into a page
 * of the class `full`.
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
