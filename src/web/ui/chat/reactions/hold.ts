import type { PointerEvent } from 'react';
import { endPress } from '#web/ui/overlay/floating.ts';

const HOLD_MS = 500;

/** One finger at a time. */
let timer: ReturnType<typeof setTimeout> | undefined;
const end = () => clearTimeout(timer);

/**
 * For an element that contains a button with `data-hold`: a long press on the element clicks that button, and the
 * element under the lifted finger is not clicked.
 */
export const holding = {
  onPointerDown: ({ currentTarget, pointerType }: PointerEvent) => {
    end();
    if (pointerType === 'mouse') return;
    timer = setTimeout(() => {
      currentTarget.querySelector<HTMLElement>('[data-hold]')?.click();
      endPress();
    }, HOLD_MS);
  },
  onPointerUp: end,
  onPointerCancel: end,
  onPointerMove: end,
};
