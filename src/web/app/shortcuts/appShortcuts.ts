import { navigate } from '#web/browser/router/navigation.ts';
import { useEffect, useRef } from 'react';
import { listenForShortcuts, type Shortcut } from '#web/app/shortcuts/shortcuts.ts';
import { useUser } from '#web/api/user.ts';
import { openOverlay } from '#web/app/palette/overlay.ts';
import { screensFor } from '#web/app/navigation/menu.ts';
import { setSingleKeys } from '#web/browser/singleKeys.ts';

const going = (operator: boolean): readonly Shortcut[] =>
  screensFor(operator).map(({ href, key }) => ({
    keys: `g ${key}`,
    run: () => navigate({ to: href }),
  }));

export const everywhere: readonly Shortcut[] = [
  { keys: 'Mod+k', run: () => openOverlay('palette') },
  { keys: '?', run: () => openOverlay('help') },
];

export const walking: readonly Shortcut[] = [
  { keys: 'j', run: () => stepRow(1) },
  { keys: 'k', run: () => stepRow(-1) },
];

const SEARCH = '[aria-keyshortcuts="/"], input[type="search"]';
const EXPORT = '[aria-keyshortcuts="e"]';

/** Shortcuts of the page: elements are marked with `aria-keyshortcuts`; search fields need no mark. */
export const onPage: readonly (Shortcut & { place: () => HTMLElement | undefined })[] = [
  {
    keys: '/',

    place: () => seen(SEARCH),
    run: () => focusField(seen(SEARCH)),
  },
  {
    keys: 'e',

    place: () => seen(EXPORT),
    run: () => pressed(seen(EXPORT)),
  },
];

const isShown = (place: HTMLElement): boolean => place.getClientRects().length > 0;

const allSeen = (selector: string): readonly HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(`main :is(${selector})`)].filter(isShown);

const seen = (selector: string): HTMLElement | undefined => allSeen(selector)[0];

function focusField(field: HTMLElement | undefined): boolean {
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
  return field !== undefined;
}

function pressed(button: HTMLElement | undefined): boolean {
  button?.click();
  return button !== undefined;
}

const ROW = '[data-row="open"], [data-row="line"]';

/** True if the page shows a list with rows for j and k. */
export const hasRows = (): boolean => seen(ROW) !== undefined;

/** Moves between the rows of the page's lists from any focus; the list handles the other keys. */
function stepRow(by: 1 | -1): boolean {
  const rows = allSeen(ROW);
  const here = rows.findIndex((row) => row.closest('tr, li')?.contains(document.activeElement));
  const next = here === -1 ? rows.at(by === 1 ? 0 : -1) : rows[here + by];
  next?.focus();
  return next !== undefined;
}

/** Handles the shortcuts of the signed-in layout. */
export function useFrameKeys(): void {
  const { role, keys_on: single } = useUser();
  const now = useRef({ shortcuts: everywhere, single });
  useEffect(() => {
    const shortcuts = [...everywhere, ...going(role === 'operator'), ...walking, ...onPage];
    now.current = { shortcuts, single };
    setSingleKeys(single);
  }, [role, single]);
  useEffect(() => listenForShortcuts(() => now.current), []);
}
