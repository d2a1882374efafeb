import { decoded } from './decoded.ts';
import type { Screen } from './navigation.ts';

const FILLING_MS = 3_000;

let stop = () => undefined as void;

export function scrollFor({ scroll, place }: Pick<Screen, 'scroll' | 'place'>): void {
  stop();
  const part = scroll === 0 && document.getElementById(decoded(place.hash.slice(1)));
  if (part) part.scrollIntoView();
  else if (scroll !== undefined) scrollWhenFilled(scroll);
}

/** Scrolls as soon as the page is long enough, unless the person scrolls first: its data may still be loading. */
function scrollWhenFilled(top: number): void {
  const reach = () => {
    window.scrollTo(0, top);
    return Math.abs(window.scrollY - top) < 2;
  };
  if (reach()) return;
  const ended = new AbortController();
  stop = () => ended.abort();
  const growing = new ResizeObserver(() => {
    if (reach()) stop();
  });
  ended.signal.addEventListener('abort', () => growing.disconnect());
  growing.observe(document.body);
  setTimeout(stop, FILLING_MS);
  for (const moved of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    window.addEventListener(moved, stop, { signal: ended.signal, passive: true });
}
