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

/** True unless the browser is offline. */
export const useOnline = (): boolean => useStore(online);

/** The bar's slot for further messages while offline. */
export const OFFLINE_PLACE = 'offline';

/** The bar at the top while offline. */
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
