import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import styles from '#web/ui/layout/OfflineBar.module.css';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** Whether the browser has a network at all. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);

/** The bar's own place: what else there is to say without a network is put into it. */
export const OFFLINE_PLACE = 'offline';

/** At the top of everything while there is no network. */
export function OfflineBar() {
  const online = useOnline();
  return (
    <div id={OFFLINE_PLACE} role="status" className={styles['place']}>
      {!online && (
        <p className={styles['bar']}>
          <WifiOff size={16} aria-hidden="true" />
          Anda sedang offline. Pesan akan dikirim saat tersambung.
        </p>
      )}
    </div>
  );
}
