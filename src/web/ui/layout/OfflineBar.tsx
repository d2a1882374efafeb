import { WifiOff } from 'lucide-react';
import { createStore, useStore } from '#web/browser/store.ts';
import styles from '#web/ui/layout/OfflineBar.module.css';

const online = createStore(
  () => navigator.onLine,
  ({ set }) => {
    const look = () => set(navigator.onLine);
    look();
    window.addEventListener('online', look);
    window.addEventListener('offline', look);
    return () => {
      window.removeEventListener('online', look);
      window.removeEventListener('offline', look);
    };
  },
);

/** Whether the browser has a network at all. */
export const useOnline = (): boolean => useStore(online);

/** The bar's own place: what else there is to say without a network is put into it. */
export const OFFLINE_PLACE = 'offline';

/** At the top of everything while there is no network. */
export function OfflineBar() {
  const isOnline = useOnline();
  return (
    <div id={OFFLINE_PLACE} role="status" className={styles['place']}>
      {!isOnline && (
        <p className={styles['bar']}>
          <WifiOff size={16} aria-hidden="true" />
          Anda sedang offline. Pesan akan dikirim saat tersambung.
        </p>
      )}
    </div>
  );
}
