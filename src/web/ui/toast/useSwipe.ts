import { useRef, type PointerEvent, type RefObject } from 'react';

/** A horizontal move beyond this removes the card. */
const SWIPE_PX = 50;
/** A smaller move is a trembling press. */
const SLACK_PX = 8;

/** Swiping a card away to either side, by finger, pen or mouse. */
export function useSwipe(card: RefObject<HTMLElement | null>, away: () => void) {
  const from = useRef<number>(undefined);
  const moved = (event: PointerEvent): number =>
    from.current === undefined ? 0 : event.clientX - from.current;
  const put = (px: number) => {
    card.current?.style.setProperty('--swiped', `${px}px`);
  };
  const rest = () => {
    from.current = undefined;
    put(0);
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button === 0) from.current = event.clientX;
    },
    onPointerMove: (event: PointerEvent) => {
      const px = moved(event);
      if (Math.abs(px) < SLACK_PX) return;
      // The card captures the pointer from here on; its buttons are not pressed.
      event.currentTarget.setPointerCapture(event.pointerId);
      put(px);
    },
    onPointerUp: (event: PointerEvent) => {
      if (Math.abs(moved(event)) >= SWIPE_PX) away();
      rest();
    },
    onPointerCancel: rest,
  };
}
