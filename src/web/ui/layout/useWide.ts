import { useSyncExternalStore } from 'react';

const query = window.matchMedia('(min-width: 640px)');

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether the window is at least 640 px wide: where something may float instead of being a sheet. */
export const useWide = (): boolean => useSyncExternalStore(subscribe, () => query.matches);
