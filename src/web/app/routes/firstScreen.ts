import { createStore } from '#web/browser/store.ts';

/** Whether this visit begins at `/`: not by Back, a reload or a link of the app. */
function beginsAtHome(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const { pathname, search } = window.location;
  // `source=pwa` is the start address of the installed app.
  return entry?.type === 'navigate' && pathname === '/' && /^(?:\?source=pwa)?$/.test(search);
}

/** Whether the first screen of this visit is still to be chosen. */
export const choosesFirstScreen = createStore<boolean>(beginsAtHome);
