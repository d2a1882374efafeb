import { createStore, useStore } from '#web/browser/store.ts';

/** The containers of the open dialogs, the topmost last. */
const open = createStore<readonly HTMLElement[]>(() => []);

let unlock: (() => void) | undefined;

/**
 * Prevents the page behind from scrolling. Padding replaces the scrollbar, so that nothing shifts, nor elements fixed
 * to the window's end (`data-fixed`); an empty gutter would not be dimmed with the rest.
 */
function lockPage(): () => void {
  const { documentElement: page } = document;
  const gutter = window.innerWidth - page.getBoundingClientRect().width;
  const fixed = document.querySelectorAll<HTMLElement>('[data-fixed]');
  // Set individually: a custom property would be inherited by all elements and recompute their styles.
  const keepFree = (width: string) => {
    page.style.paddingInlineEnd = width;
    for (const { style } of fixed) style.insetInlineEnd = width;
  };
  if (gutter > 0) keepFree(`${gutter}px`);
  page.dataset['locked'] = '';
  return () => {
    keepFree('');
    delete page.dataset['locked'];
  };
}

/**
 * Registers a dialog as the topmost; returns the function that removes it.
 * @param container the element in the dialog for floating elements
 */
export function enterTopLayer(container: HTMLElement): () => void {
  unlock ??= lockPage();
  open.set([...open.get(), container]);
  return () => {
    const left = open.get().filter((one) => one !== container);
    if (left.length === 0) {
      unlock?.();
      unlock = undefined;
    }
    open.set(left);
  };
}

/** True while the dialog is open that the others wait for. */
const isHeld = createStore(() => false);

/**
 * Shows a dialog, but not above the one that the others wait for. @returns the function that hides it
 * @param holds the others wait for this one
 */
export function showInTurn(show: () => () => void, holds: boolean): () => void {
  let hide: (() => void) | undefined;
  const start = () => {
    if (holds || !isHeld.get()) hide ??= show();
  };
  start();
  if (holds) isHeld.set(true);
  const stop = isHeld.subscribe(start);
  return () => {
    stop();
    hide?.();
    if (holds) isHeld.set(false);
  };
}

/** True if keys belong to this dialog. */
export const isTopmost = (container: HTMLElement): boolean => open.get().at(-1) === container;

/**
 * The container for floating elements: inside the topmost dialog, because everything outside is inert, else the body.
 */
export const useTopLayer = (): HTMLElement => useStore(open).at(-1) ?? document.body;
