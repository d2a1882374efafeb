import styles from '#web/ui/chat/thread/thread.module.css';
import { classes } from '#web/ui/classes.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

export const ThreadSkeleton = () => (
  <div className={classes('grid gap-12', styles['bones'])} aria-busy="true">
    <Skeleton width="46%" height={44} />
    <Skeleton width="62%" height={64} />
    <span className="justify-self-end">
      <Skeleton width={220} height={44} />
    </span>
    <Skeleton width="38%" height={44} />
    <span className="justify-self-end">
      <Skeleton width={280} height={64} />
    </span>
  </div>
);
