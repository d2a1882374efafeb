import { storageGet, storageSet } from '#web/browser/storage.ts';
import { createStore } from '#web/browser/store.ts';
import { matchPath, type Match, type Path, type Routes, type Search } from './routes.ts';
import { parseSearch, stringifySearch } from './search.ts';
import { searchFields } from './searchFields.ts';

export type Place = { pathname: string; search: string; hash: string };

/** A page and the values of its address. */
export type Screen = Match & {
  place: Place;
  search: Readonly<Record<string, unknown>>;
  /** The scroll position in pixels once the page is there; `undefined`: unchanged. */
  scroll: number | undefined;
};

/** A navigation target: an address of the app, its query and the fragment. */
export type Target<P extends Path> = {
  to: P;
  /** The complete query. */
  search?: Search<NoInfer<P>> | undefined;
  /** Changes to the query of the shown page. */
  change?: Search<NoInfer<P>> | undefined;
  hash?: string | undefined;
};

export type How = {
  replace?: boolean | undefined;
  /** False: keeps the scroll position, as for a dialog above the page. */
  resetScroll?: boolean | undefined;
};

type Show = (screen: Screen) => Promise<void>;

let routes: Routes = {};
let show: Show = async () => undefined;

function placeOf({ pathname, search, hash }: Place): Place {
  const { redirect } = matchPath(routes, pathname).route;
  return { pathname: redirect ?? pathname, search, hash };
}

const written = ({ pathname, search, hash }: Place): string => pathname + search + hash;

/** The current address. Its page may still be loading. */
export const address = createStore<Place>(() => placeOf(window.location));

/** The newest screen; its query object stays the same while the query is the same. */
let newest: Screen | undefined;

export function screenOf(place: Place, scroll?: number): Screen {
  if (newest && newest.place.pathname === place.pathname && newest.place.search === place.search)
    return (newest = { ...newest, place, scroll });
  const match = matchPath(routes, place.pathname);
  const read = searchFields(match.route.search ?? {});
  return (newest = { ...match, place, search: read(parseSearch(place.search)), scroll });
}

/**
 * Loads the addresses of a group, once.
 *
 * @returns the same screen with its real page.
 */
export async function withAddresses(screen: Screen): Promise<Screen> {
  const { path = '', route, place, scroll } = screen;
  if (!route.more) return screen;
  const added = await route.more();
  const { [path]: _group, ...others } = routes;
  routes = { ...others, ...added };
  newest = undefined;
  return screenOf(place, scroll);
}

/** Scroll positions of this tab by the key of their history entry. */
const positions = new Map<unknown, number>();
let entry: unknown;
let entries = 0;
/** The number of entries of this site before the current one, counted from where the tab entered. */
let at = 0;

/** The state of a history entry. The first entry and those of fragment links have no key. */
type EntryState = { key?: unknown; at?: number };
const entryStateOf = (state: unknown): EntryState =>
  typeof state === 'object' && state !== null ? state : {};

/** Open dialogs that the address does not name, the topmost last. */
const holders: (() => void)[] = [];

/**
 * Intercepts Back and Forward: the topmost dialog closes instead, and the page stays.
 * @param ask closes it, or asks the person first
 * @returns the stop function
 */
export function holdPage(ask: () => void): () => void {
  holders.push(ask);
  return () => void holders.splice(holders.lastIndexOf(ask), 1);
}

/** The scroll position of the page when this tab last left for another document: `900 /docs`. */
const LEFT = 'left';

/**
 * The initial scroll position in pixels: the one before a reload, or else the fragment's element, which the browser
 * looked for too early.
 */
export function openedAt(): number | undefined {
  const place = address.get();
  const [top, ...left] = (storageGet('tab', LEFT) ?? '').split(' ');
  if (left.join(' ') === written(place)) return Number(top);
  return place.hash ? 0 : undefined;
}

/** Sets the routes and handles Back and Forward. */
export function startNavigation(all: Routes): void {
  routes = all;
  const { location } = window;
  ({ key: entry, at = 0 } = entryStateOf(history.state));
  history.replaceState({ key: entry, at }, '');
  const arrive = () => {
    const place = placeOf(location);
    if (place.pathname !== location.pathname)
      history.replaceState(history.state, '', written(place));
    return place;
  };
  address.set(arrive());
  // Requests code and stylesheets before the first render.
  preload(location.pathname);
  window.addEventListener('popstate', ({ state }) => {
    const entryState = entryStateOf(state);
    const ask = holders.at(-1);
    // Triggers this handler again, with the entry that was left.
    if (ask && entryState.at !== undefined && entryState.at !== at)
      return history.go(at - entryState.at);
    if (entryState.at === at) return ask?.();
    positions.set(entry, window.scrollY);
    entry = entryState.key;
    const before = address.get();
    const place = arrive();
    address.set(place);
    // A fragment link adds an entry without a key, and the browser has already scrolled. A link to the current fragment
    // adds none.
    at = entryState.at ?? (place.hash === before.hash ? at : at + 1);
    history.replaceState({ key: entry, at }, '');
    const within = place.pathname === before.pathname && place.search === before.search;
    void show(screenOf(place, within && entry === undefined ? undefined : positions.get(entry)));
  });
  window.addEventListener('pagehide', () => {
    history.scrollRestoration = 'auto';
    const top = Math.round(window.scrollY);
    storageSet('tab', LEFT, top > 0 ? `${top} ${written(address.get())}` : undefined);
  });
}

/**
 * Registers the function that shows each screen. @param shower resolves when the page is there. @returns the stop
 * function
 */
export function onScreen(shower: Show): () => void {
  show = shower;
  return () => {
    show = async () => undefined;
  };
}

/** Navigates to an address of this site, as in `/saldo?new=1`. @returns when its page is there */
export function goTo(href: string, { replace = false, resetScroll = true }: How = {}) {
  const place = placeOf(new URL(href, window.location.href));
  history.scrollRestoration = 'manual';
  if (replace || written(place) === written(address.get())) {
    history.replaceState(history.state, '', written(place));
  } else {
    positions.set(entry, window.scrollY);
    // With the time, because a reloaded page counts from 0 again.
    entry = `${Date.now()} ${entries++}`;
    history.pushState({ key: entry, at: ++at }, '', written(place));
  }
  address.set(place);
  return show(screenOf(place, resetScroll ? 0 : undefined));
}

export function hrefOf<P extends Path>({ to, search, change, hash }: Target<P>): string {
  const now = change && screenOf(address.get());
  const current = now?.path === to ? now.search : {};
  return to + stringifySearch({ ...current, ...change, ...search }) + (hash ? `#${hash}` : '');
}

/** Navigates to a page of the app. @returns when it is there */
export const navigate = <P extends Path>({ replace, resetScroll, ...target }: Target<P> & How) =>
  goTo(hrefOf(target), { replace, resetScroll });

export function preload(href: string): void {
  const { pathname } = new URL(href, window.location.href);
  const { route } = matchPath(routes, pathname);
  void route.layout?.bring();
  void route.page?.bring();
  // The navigation itself adds the addresses.
  const deeper = route.more?.().then((more) => matchPath(more, pathname).route.page?.bring());
  deeper?.catch(() => undefined);
}
