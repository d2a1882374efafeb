import type { ReactNode } from 'react';
import styles from '#web/ui/layout/layout.module.css';
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
    <div
      className={classes(
        'grid grow min-h-0 border rounded-lg surface overflow-hidden',
        styles['view'],
        wideList && styles['wideList'],
      )}
    >
      <div className={classes('column min-h-0', styles['list'], isOpen && 'from-768')}>{list}</div>
      <div
        className={classes('column min-w-0 min-h-0 paper', styles['detail'], !isOpen && 'from-768')}
      >
        {isOpen ? detail : <div className="place-center grow">{none}</div>}
      </div>
    </div>
  );
}
