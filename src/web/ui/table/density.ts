import { useSyncExternalStore } from 'react';

/** How high the rows of tables are: 44 px, or 36. */
export type Density = 'normal' | 'compact';

const ENTRY = 'ui-density';
const listeners = new Set<() => void>();
/** For browsers without a storage: the choice lasts as long as the tab. */
let chosen: Density = 'normal';

function current(): Density {
  try {
    return localStorage.getItem(ENTRY) === 'compact' ? 'compact' : 'normal';
  } catch {
    return chosen;
  }
}

/** Chooses the density of all tables; it is remembered in this browser. */
export function setDensity(density: Density): void {
  chosen = density;
  try {
    if (density === 'normal') localStorage.removeItem(ENTRY);
    else localStorage.setItem(ENTRY, density);
  } catch {
    // Kept above.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** The density of tables, also when another tab changes it. */
export const useDensity = (): Density => useSyncExternalStore(subscribe, current);
