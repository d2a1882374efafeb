import { createStore } from '#web/browser/store.ts';

/** What can stand over the page, by a key or a button. */
export type Overlay = 'palette' | 'help';

/** What stands over the page: the command palette, the help sheet, or nothing. */
export const overlay = createStore<Overlay | undefined>(() => undefined);

/** Opens the command palette or the help sheet. */
export const openOverlay = (name: Overlay): void => overlay.set(name);

export const closeOverlay = (): void => overlay.set(undefined);
