import type { Box, Size, Spot } from '#web/ui/menu/menus.ts';

type PositionRule = (anchor: Box, floating: Size, view: Size) => Spot;

/**
 * Shows an element with `popover="manual"` above everything at its anchor, and follows scrolling and resizing. Without
 * popover support it stays in the page.
 *
 * @param gone called when the anchor is scrolled out of view
 * @returns the stop function
 */
export function float(
  anchor: Element,
  floating: HTMLElement,
  positionRule: PositionRule,
  gone?: () => void,
): () => void {
  // Absent before Safari 17 and Firefox 125.
  if ('showPopover' in floating) floating.showPopover();
  const put = () => {
    const { clientWidth: width } = document.documentElement;
    const size = { width: floating.offsetWidth, height: floating.scrollHeight + borders(floating) };
    const spot = positionRule(anchor.getBoundingClientRect(), size, {
      width,
      height: window.innerHeight,
    });
    floating.style.left = `${spot.left}px`;
    floating.style.top = `${spot.top}px`;
    floating.style.maxHeight = `${spot.maxHeight}px`;
  };
  put();
  const watcher = new IntersectionObserver((entries) => {
    if (entries.at(-1)?.isIntersecting === false) gone?.();
  });
  watcher.observe(anchor);
  // Its content may grow while it is shown.
  const size = new ResizeObserver(put);
  size.observe(floating);
  window.addEventListener('scroll', put, { capture: true, passive: true });
  window.addEventListener('resize', put);
  return () => {
    size.disconnect();
    watcher.disconnect();
    window.removeEventListener('scroll', put, { capture: true });
    window.removeEventListener('resize', put);
  };
}

const borders = ({ offsetHeight, clientHeight }: HTMLElement): number =>
  offsetHeight - clientHeight;

const controls =
  'a[href], button, input, select, textarea, summary, label, [contenteditable], [tabindex]:not([tabindex="-1"])';

/** Handles the remaining events of the current press, not those of a new one. */
function duringPress(down: (event: MouseEvent) => void, click?: (event: MouseEvent) => void): void {
  const over = new AbortController();
  const options = { capture: true, signal: over.signal };
  const end = () => over.abort();
  window.addEventListener('mousedown', down, options);
  window.addEventListener(
    'click',
    (event) => {
      click?.(event);
      end();
    },
    options,
  );
  for (const type of ['pointerdown', 'pointercancel', 'keydown'] as const) {
    window.addEventListener(type, end, options);
  }
}

/** The press that closed a menu does not move the focus, unless it is on a control. */
export function keepFocusInPress(): void {
  duringPress((event) => {
    if (!(event.target instanceof Element) || !event.target.closest(controls)) {
      event.preventDefault();
    }
  });
}

/** The press that closed a dialog does not reach the page behind. */
export function endPress(): void {
  duringPress(
    (event) => event.preventDefault(),
    (event) => {
      event.preventDefault();
      event.stopPropagation();
    },
  );
}
