import type { ReactNode } from 'react';
import styles from '#web/ui/panel/EmptyState.module.css';

type Props = {
  /** A lucide icon at `size={24}`. */
  icon?: ReactNode;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
};

/** An empty list: describes what will be here and how to start. */
export const EmptyState = ({ icon, title, children, action }: Props) => (
  <div className={styles['empty']}>
    {icon && (
      <span className={styles['icon']} aria-hidden="true">
        {icon}
      </span>
    )}
    <p className={styles['title']}>{title}</p>
    {children && <div className={styles['text']}>{children}</div>}
    {action && <div className={styles['action']}>{action}</div>}
  </div>
);

type WrongProps = {
  /** The error and its remedy, as one sentence. */
  message: string;
  onRetry?: () => void;
};

/** An inline loading error with a retry button. */
export const WentWrong = ({ message, onRetry }: WrongProps) => (
  <div className={styles['empty']} role="alert">
    <p className={styles['title']}>{message}</p>
    {onRetry && (
      <button type="button" className={styles['retry']} onClick={onRetry}>
        Coba lagi
      </button>
    )}
  </div>
);
