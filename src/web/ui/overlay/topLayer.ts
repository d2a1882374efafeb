import { createStore, useStore } from '#web/browser/store.ts';

/** The places of the open dialogs, the topmost last. */
const open = createStore<readonly HTMLElement[]>(() => []);

let unlock: (() => void) | undefined;

/**
 * Holds the page behind the dialogs still. The scrollbar goes, and its width stays as a padding, so that
 * nothing shifts, nor what is fixed to the window's end (`data-fixed`); a gutter that merely stayed empty would not be dimmed with the rest.
 */
function lockPage(): () => void {
  const { documentElement: page } = document;
  const gutter = window.innerWidth - page.getBoundingClientRect().width;
  const fixed = document.querySelectorAll<HTMLElement>('[data-fixed]');
  // One by one, not by a custom property: all elements would inherit that, and have their styles worked out anew.
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
 * Registers that a dialog is about to stand above everything; call what it returns when it is gone.
 * @param place the element in the dialog that takes what floats above it
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

/** Whether this dialog is the one that keys are for. */
export const isTopmost = (container: HTMLElement): boolean => open.get().at(-1) === container;

/**
 * Where something that floats must be put to be seen and reached: inside the topmost dialog, for
 * everything outside it is inert, else in the body.
 */
export const useTopLayer = (): HTMLElement => useStore(open).at(-1) ?? document.body;
