import { decoded } from './decoded.ts';
import type { Screen } from './navigation.ts';

const FILLING_MS = 3_000;

let stop = () => undefined as void;

export function scrollFor({ scroll, place }: Pick<Screen, 'scroll' | 'place'>): void {
  stop();
  if (scroll === undefined) return;
  const id = scroll === 0 ? decoded(place.hash.slice(1)) : '';
  window.scrollTo(0, scroll);
  whenFilled(() => {
    if (id === '') window.scrollTo(0, scroll);
    else document.getElementById(id)?.scrollIntoView();
    return id === '' ? Math.abs(window.scrollY - scroll) < 2 : document.getElementById(id) !== null;
  });
}

/** Scrolls as soon as the page is long enough, unless the person scrolls first: its data may still be loading. */
function whenFilled(reach: () => boolean): void {
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
