import { createStore } from '#web/browser/store.ts';

/** What can stand over the page, by a key, a button or a command. */
export type Overlay = 'palette' | 'help' | 'exports';

/** What stands over the page: the command palette, the help sheet, exported files, or nothing. */
export const overlay = createStore<Overlay | undefined>(() => undefined);

/** Opens what can stand over the page. */
export const openOverlay = (name: Overlay): void => overlay.set(name);

export const closeOverlay = (): void => overlay.set(undefined);
