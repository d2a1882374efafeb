const LONG_PRESS_MS = 500;
/** A finger that moves further scrolls. */
const STILL_PX = 10;

/** Calls back on a long press; suppresses the click at its end. @returns the stop function */
export function onLongPress(element: HTMLElement, begin: () => void): () => void {
  let timer: number | undefined;
  let from = { x: 0, y: 0 };
  let isLong = false;
  const listening = new AbortController();
  const end = () => {
    window.clearTimeout(timer);
    timer = undefined;
  };
  const on = <Name extends keyof HTMLElementEventMap>(
    name: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
  ) => element.addEventListener(name, listener, { capture: true, signal: listening.signal });
  on('pointerdown', ({ pointerType, clientX: x, clientY: y }) => {
    end();
    isLong = false;
    if (pointerType !== 'touch') return;
    from = { x, y };
    timer = window.setTimeout(() => {
      isLong = true;
      begin();
    }, LONG_PRESS_MS);
  });
  on('pointermove', ({ clientX, clientY }) => {
    if (Math.hypot(clientX - from.x, clientY - from.y) > STILL_PX) end();
  });
  on('pointerup', end);
  on('pointercancel', end);
  on('contextmenu', (event) => {
    if (isLong) event.preventDefault();
  });
  on('click', (event) => {
    if (!isLong) return;
    isLong = false;
    event.preventDefault();
    event.stopPropagation();
  });
  return () => {
    end();
    listening.abort();
  };
}
