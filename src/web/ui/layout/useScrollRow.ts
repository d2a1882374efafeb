import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import styles from '#web/ui/layout/layout.module.css';

/** The room beside an entry scrolled into sight, in px: the width of the fade. */
const FADE_PX = 28;

/** The class of the row, see `useScrollRow`. */
export const scrollRow = styles['row'];

/**
 * For a row of entries that scrolls sideways where it does not fit: it fades at each edge behind which there is more,
 * and the current entry is scrolled into sight. Its element has the class `scrollRow`.
 */
export function useScrollRow<Row extends HTMLElement>(): RefObject<Row | null> {
  const row = useRef<Row>(null);
  const shown = useRef<Element>(undefined);
  // An entry becomes current, or the row appears.
  useLayoutEffect(() => {
    const current = currentIn(row.current);
    if (current && current !== shown.current) showInRow(current, row.current);
    shown.current = current;
  });
  useEffect(() => {
    const place = row.current;
    if (!place) return;
    const fade = () => {
      const { scrollLeft, scrollWidth, clientWidth } = place;
      place.toggleAttribute('data-before', scrollLeft > 1);
      place.toggleAttribute('data-after', scrollWidth - clientWidth - scrollLeft > 1);
    };
    const sizes = new ResizeObserver((entries) => {
      // The row's own width changes when a phone is rotated.
      if (entries.some(({ target }) => target === place)) showInRow(currentIn(place), place);
      fade();
    });
    const observe = () => {
      sizes.disconnect();
      for (const one of [place, ...place.children]) sizes.observe(one);
    };
    const entries = new MutationObserver(observe);
    entries.observe(place, { childList: true });
    observe();
    // The browser leaves a focused entry that is partly in sight where it is.
    const show = ({ target }: FocusEvent) => target instanceof Element && showInRow(target, place);
    place.addEventListener('focusin', show);
    place.addEventListener('scroll', fade, { passive: true });
    return () => {
      sizes.disconnect();
      entries.disconnect();
      place.removeEventListener('focusin', show);
      place.removeEventListener('scroll', fade);
    };
  }, []);
  return row;
}

const currentIn = (row: HTMLElement | null): Element | undefined =>
  row?.querySelector('[aria-current], [aria-selected="true"]') ?? undefined;

/** Scrolls only the row, not the page. */
function showInRow(entry: Element | undefined, row: HTMLElement | null): void {
  if (!entry || !row) return;
  const [own, all] = [entry.getBoundingClientRect(), row.getBoundingClientRect()];
  if (own.right > all.right - FADE_PX) row.scrollLeft += own.right - all.right + FADE_PX;
  if (own.left < all.left + FADE_PX) row.scrollLeft -= all.left - own.left + FADE_PX;
}
