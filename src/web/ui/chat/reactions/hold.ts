import type { PointerEvent } from 'react';
import { endPress } from '#web/ui/overlay/floating.ts';

const HOLD_MS = 500;

/** One finger at a time. */
let timer: ReturnType<typeof setTimeout> | undefined;
const end = () => clearTimeout(timer);

/**
 * For an element that holds a button with `data-hold`: a finger that rests on the element presses that button; what the
 * finger lifts from is not pressed.
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
