import { useSyncExternalStore } from 'react';

const open: HTMLElement[] = [];
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

/**
 * Tells that a dialog stands above everything; call what it returns when it is gone.
 * @param place the element in the dialog that takes what floats above it
 */
export function enterTopLayer(place: HTMLElement): () => void {
  open.push(place);
  changed();
  return () => {
    const at = open.indexOf(place);
    if (at !== -1) open.splice(at, 1);
    changed();
  };
}

const topmost = (): HTMLElement => open.at(-1) ?? document.body;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Where something that floats must be put to be seen and reached: inside the topmost dialog, for
 * everything outside it is inert, else in the body.
 */
export const useTopLayer = (): HTMLElement => useSyncExternalStore(subscribe, topmost);
