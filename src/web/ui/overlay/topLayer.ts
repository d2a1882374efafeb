import { useSyncExternalStore } from 'react';

const open: HTMLElement[] = [];
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

let unlock: (() => void) | undefined;

/**
 * Holds the page behind the dialogs still. The scrollbar goes, and its width stays as a padding, so that
 * nothing shifts; a gutter that merely stayed empty would not be dimmed with the rest.
 */
function lockPage(): () => void {
  const { documentElement: page } = document;
  const gutter = window.innerWidth - page.getBoundingClientRect().width;
  // Every style on the page is worked out anew for it: only where scrollbars take room.
  if (gutter > 0) page.style.setProperty('--scrollbar', `${gutter}px`);
  page.dataset['locked'] = '';
  return () => {
    page.style.removeProperty('--scrollbar');
    delete page.dataset['locked'];
  };
}

/**
 * Tells that a dialog is about to stand above everything; call what it returns when it is gone.
 * @param place the element in the dialog that takes what floats above it
 */
export function enterTopLayer(place: HTMLElement): () => void {
  unlock ??= lockPage();
  open.push(place);
  changed();
  return () => {
    const at = open.indexOf(place);
    if (at !== -1) open.splice(at, 1);
    if (open.length === 0) {
      unlock?.();
      unlock = undefined;
    }
    changed();
  };
}

/** Whether this dialog is the one that keys are for. */
export const isTopmost = (place: HTMLElement): boolean => open.at(-1) === place;

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
