import styles from '#web/ui/chat/thread/ThreadSkeleton.module.css';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

export const ThreadSkeleton = () => (
  <div className={styles['bones']} aria-busy="true">
    <Skeleton width="46%" height={44} />
    <Skeleton width="62%" height={64} />
    <span className={styles['ours']}>
      <Skeleton width={220} height={44} />
    </span>
    <Skeleton width="38%" height={44} />
    <span className={styles['ours']}>
      <Skeleton width={280} height={64} />
    </span>
  </div>
);
