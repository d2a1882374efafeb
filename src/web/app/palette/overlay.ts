import { createStore } from '#web/browser/store.ts';

export type Overlay = 'palette' | 'help' | 'exports';

export const overlay = createStore<Overlay | undefined>(() => undefined);

export const openOverlay = (name: Overlay): void => overlay.set(name);

export const closeOverlay = (): void => overlay.set(undefined);
