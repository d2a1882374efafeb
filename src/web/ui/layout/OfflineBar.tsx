import { useQueryClient } from '@tanstack/react-query';
import { CloudOff, WifiOff } from 'lucide-react';
import { lastServerAnswer, useServerAway } from '#web/api/server.ts';
import { userQuery } from '#web/api/user.ts';
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

/** The bar at the top while the browser is offline or the server does not answer. */
export function OfflineBar() {
  const isOnline = useOnline();
  const isAway = useServerAway();
  return (
    <div id={OFFLINE_PLACE} role="status" className={styles['place']}>
      {!isOnline ? (
        <p className={styles['bar']}>
          <WifiOff size={16} aria-hidden="true" />
          <span>
            Anda sedang offline. Pesan akan dikirim saat tersambung. <ShownFrom />
          </span>
        </p>
      ) : (
        isAway && (
          <p className={styles['bar']}>
            <CloudOff size={16} aria-hidden="true" />
            <span>
              Server tidak menjawab. <ShownFrom /> Kabari otomatis mencoba lagi.
            </span>
          </p>
        )
      )}
    </div>
  );
}

/** The age of what is on the screen, in the user's zone. */
function ShownFrom() {
  const timeZone = useQueryClient().getQueryData(userQuery.queryKey)?.timezone ?? 'Asia/Jakarta';
  const at = lastServerAnswer();
  if (at === undefined) return null;
  // By the browser: the time functions of the contract would cost the sign-in page 1 kB.
  const time = new Date(at).toLocaleTimeString('id-ID', { timeStyle: 'short', timeZone });
  return `Yang tampil dari pukul ${time}.`;
}
