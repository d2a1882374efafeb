import { Eye, PencilLine } from 'lucide-react';
import { useEffect } from 'react';
import { presenceSentence, usePresence } from '#web/features/operator/support/presence.ts';
import styles from '#web/features/operator/support/thread/Thread.module.css';
import { tellDoing } from '#web/features/operator/support/thread/inboxPort.ts';

const LOOK_MS = 20_000;

export function OthersHere({ accountId }: { accountId: string }) {
  const others = usePresence().filter((one) => one.accountId === accountId);
  const writes = others[0] !== undefined && others[0].doing !== 'look';
  const Icon = writes ? PencilLine : Eye;
  return (
    <div role="status">
      {others.length > 0 && (
        <p className={styles['others']} data-writes={writes || undefined}>
          <Icon size={16} aria-hidden="true" />
          <span>{presenceSentence(others)}</span>
        </p>
      )}
    </div>
  );
}

/** Reports to other operators, periodically, that this one looks at a thread. */
export function useTellLooking(accountId: string): void {
  useEffect(() => {
    const tell = () => {
      if (document.hidden || !navigator.onLine) return;
      tellDoing(accountId, 'look').catch(() => undefined);
    };
    tell();
    const timer = setInterval(tell, LOOK_MS);
    document.addEventListener('visibilitychange', tell);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tell);
    };
  }, [accountId]);
}
