export type Size = { width: number; height: number };
export type Box = Size & { left: number; top: number };
/** The position of a floating element in px from the window's corner, and its maximum height. */
export type Spot = { left: number; top: number; maxHeight: number };

/** The default gap to the anchor, in px. */
const GAP = 4;
/** The default margin to the window's edge, in px. */
const EDGE = 8;

type Placing = { align?: 'start' | 'end'; gap?: number; edge?: number };

const between = (least: number, value: number, most: number): number =>
  Math.max(least, Math.min(value, most));

/** Below the button, or above it if there is more room; always within the window. `align` names the aligned edges. */
export function placeMenu(
  anchor: Box,
  menu: Size,
  view: Size,
  { align = 'start', gap = GAP, edge = EDGE }: Placing = {},
): Spot {
  const bottom = anchor.top + anchor.height;
  const below = view.height - edge - gap - bottom;
  const above = anchor.top - gap - edge;
  const flips = menu.height > below && above > below;
  const maxHeight = Math.max(0, flips ? above : below);
  const height = Math.min(menu.height, maxHeight);
  const start = align === 'start' ? anchor.left : anchor.left + anchor.width - menu.width;
  return {
    left: between(edge, start, Math.max(edge, view.width - edge - menu.width)),
    top: flips ? anchor.top - gap - height : bottom + gap,
    maxHeight,
  };
}

/** Right of the control, vertically centred; left of it where there is no room. */
export function placeBeside(anchor: Box, tip: Size, view: Size): Spot {
  const right = anchor.left + anchor.width + GAP;
  const fits = right + tip.width + EDGE <= view.width;
  const top = anchor.top + (anchor.height - tip.height) / 2;
  return {
    left: fits ? right : Math.max(EDGE, anchor.left - GAP - tip.width),
    top: between(EDGE, top, Math.max(EDGE, view.height - EDGE - tip.height)),
    maxHeight: view.height - 2 * EDGE,
  };
}

/**
 * The entry meant by typed letters: the next one that begins with them, from the current one on, with wrap-around. A
 * repeated letter cycles through its matches. -1 if there is none.
 */
export function entryTyped(labels: readonly string[], current: number, typed: string): number {
  const text = typed.toLocaleLowerCase('id');
  const same = text.length > 1 && [...text].every((letter) => letter === text[0]);
  const sought = same ? text.slice(0, 1) : text;
  // A second letter may still match the current entry; a first one never does.
  const from = Math.max(0, current + (sought.length === 1 ? 1 : 0));
  for (let step = 0; step < labels.length; step++) {
    const at = (from + step) % labels.length;
    if (labels[at]?.trim().toLocaleLowerCase('id').startsWith(sought)) return at;
  }
  return -1;
}

/** The next index of `count` with wrap-around; from -1, an end. */
export function stepRound(current: number, step: 1 | -1, count: number): number {
  if (count === 0) return -1;
  if (current < 0) return step === 1 ? 0 : count - 1;
  return (current + step + count) % count;
}

const contains = (path: string, href: string): boolean =>
  path === href || (href !== '/' && path.startsWith(href.endsWith('/') ? href : `${href}/`));

/** The menu entry of a path: itself, or its longest parent; '/' matches only itself. */
export function currentHref(path: string, hrefs: readonly string[]): string | undefined {
  return hrefs
    .filter((href) => contains(path, href))
    .reduce<string | undefined>(
      (best, href) => (best === undefined || href.length > best.length ? href : best),
      undefined,
    );
}

/** The entries that a bar of `slots` shows: all if they fit, else one place is left for the rest. */
export function splitForBar<Entry>(
  entries: readonly Entry[],
  slots: number,
  always: boolean,
): { shown: readonly Entry[]; rest: readonly Entry[] } {
  const room = always || entries.length > slots ? slots - 1 : slots;
  return { shown: entries.slice(0, room), rest: entries.slice(room) };
}
