import { useEffect, useState } from 'react';
import { useServerAway } from '#web/api/server.ts';
import { later } from '#web/browser/lazyComponent.ts';
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

// Loaded while the server answers: without it nothing can be loaded.
const Words = later(() => import('#web/ui/layout/OfflineWords.tsx'));

/** The bar at the top while the browser is offline or the server does not answer. */
export function OfflineBar() {
  const isOnline = useOnline();
  const isAway = useServerAway();
  const [isLoaded, setLoaded] = useState(Words.isHere);
  useEffect(() => {
    if (!isLoaded) void Words.bring().then(() => setLoaded(Words.isHere()));
  }, [isLoaded, isOnline, isAway]);
  return (
    <div id={OFFLINE_PLACE} role="status" className={styles['place']}>
      {isLoaded && (!isOnline || isAway) && <Words isOnline={isOnline} />}
    </div>
  );
}
