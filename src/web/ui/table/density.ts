import { createStore, useStore } from '#web/browser/store.ts';

/** The row height of tables: 44 px, or 36. */
export type Density = 'normal' | 'compact';

const ENTRY = 'ui-density';

/** The value stored in this browser; `undefined` without storage. */
function stored(): Density | undefined {
  try {
    return localStorage.getItem(ENTRY) === 'compact' ? 'compact' : 'normal';
  } catch {
    return undefined;
  }
}

/** Without storage the choice lasts as long as the tab; another tab may change it. */
const density = createStore<Density>(
  () => stored() ?? 'normal',
  ({ get, set }) => {
    const look = () => set(stored() ?? get());
    look();
    window.addEventListener('storage', look);
    return () => window.removeEventListener('storage', look);
  },
);

/** Sets the density of all tables, stored in this browser. */
export function setDensity(next: Density): void {
  try {
    if (next === 'normal') localStorage.removeItem(ENTRY);
    else localStorage.setItem(ENTRY, next);
  } catch {
    // It lasts as long as the tab.
  }
  density.set(next);
}

/** The density of tables, also when another tab changes it. */
export const useDensity = (): Density => useStore(density);
