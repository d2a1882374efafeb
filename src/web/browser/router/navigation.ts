import { storageGet, storageSet } from '#web/browser/storage.ts';
import { createStore } from '#web/browser/store.ts';
import { matchPath, type Match, type Path, type Routes, type Search } from './routes.ts';
import { parseSearch, stringifySearch } from './search.ts';
import { searchFields } from './searchFields.ts';

/** An address of this site, in the parts that `URL` has. */
export type Place = { pathname: string; search: string; hash: string };

/** What is shown: a page, and what its address says. */
export type Screen = Match & {
  place: Place;
  search: Readonly<Record<string, unknown>>;
  /** Pixels from the top to which the page is scrolled once it is there; `undefined`: it stays. */
  scroll: number | undefined;
};

/** Where to: one of the app's addresses, its query, and the part of the page to show. */
export type Target<P extends Path> = {
  to: P;
  /** All that the query will say. */
  search?: Search<NoInfer<P>> | undefined;
  /** What of the query becomes different, on the page that is shown. */
  change?: Search<NoInfer<P>> | undefined;
  hash?: string | undefined;
};

export type How = {
  /** Takes the place of the present entry of the browser's history. */
  replace?: boolean | undefined;
  /** False: the page stays where it is scrolled to, as for a dialog above it. */
  resetScroll?: boolean | undefined;
};

type Show = (screen: Screen) => Promise<void>;

let routes: Routes = {};
let show: Show = async () => undefined;

/** A place, or the one that its address only leads on to. */
function placeOf({ pathname, search, hash }: Place): Place {
  const { redirect } = matchPath(routes, pathname).route;
  return { pathname: redirect ?? pathname, search, hash };
}

const written = ({ pathname, search, hash }: Place): string => pathname + search + hash;

/** The address: where somebody wants to be. Its page may still be on its way. */
export const address = createStore<Place>(() => placeOf(window.location));

/** The newest screen: what it says stays the same object as long as it says the same. */
let newest: Screen | undefined;

/** What an address shows. */
export function screenOf(place: Place, scroll?: number): Screen {
  if (newest && newest.place.pathname === place.pathname && newest.place.search === place.search)
    return (newest = { ...newest, place, scroll });
  const match = matchPath(routes, place.pathname);
  const read = searchFields(match.route.search ?? {});
  return (newest = { ...match, place, search: read(parseSearch(place.search)), scroll });
}

/**
 * Brings the addresses of a group, once, before those that only stand for it.
 *
 * @returns the same screen, of the page that is really there.
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

/** Where the pages of this tab were left, by the key of their entry in the browser's history. */
const positions = new Map<unknown, number>();
let entry: unknown;
let entries = 0;
/** How many entries of this site lie before the present one, counted from where the tab came to it. */
let at = 0;

/** What is kept with an entry. The first one, and those of links to a part of a page, have no key. */
type Kept = { key?: unknown; at?: number };
const keptOf = (state: unknown): Kept => (typeof state === 'object' && state !== null ? state : {});

/** The dialogs above the page that its address does not name, the topmost last. */
const holders: (() => void)[] = [];

/**
 * Holds Back and Forward: what stands above the page is asked to close, and the page stays.
 * @param ask closes it, or asks the person first
 * @returns how to stop
 */
export function holdPage(ask: () => void): () => void {
  holders.push(ask);
  return () => void holders.splice(holders.lastIndexOf(ask), 1);
}

/** Where the page of an address stood when this tab last left it for another document: `900 /docs`. */
const LEFT = 'left';

/**
 * Where the page that this document was opened with is scrolled to, in pixels: where it was left before it
 * was loaded anew, or else the part that its address names, which the browser looked for too early.
 */
export function openedAt(): number | undefined {
  const place = address.get();
  const [top, ...left] = (storageGet('tab', LEFT) ?? '').split(' ');
  if (left.join(' ') === written(place)) return Number(top);
  return place.hash ? 0 : undefined;
}

/** From now on these are the app's addresses, and the browser's Back and Forward lead to them. */
export function startNavigation(all: Routes): void {
  routes = all;
  const { location } = window;
  ({ key: entry, at = 0 } = keptOf(history.state));
  history.replaceState({ key: entry, at }, '');
  const arrive = () => {
    const place = placeOf(location);
    if (place.pathname !== location.pathname)
      history.replaceState(history.state, '', written(place));
    return place;
  };
  address.set(arrive());
  // Its code and its stylesheets are asked for before anything is drawn.
  preload(location.pathname);
  window.addEventListener('popstate', ({ state }) => {
    const kept = keptOf(state);
    const ask = holders.at(-1);
    // Comes here once more, with the entry that was left.
    if (ask && kept.at !== undefined && kept.at !== at) return history.go(at - kept.at);
    if (kept.at === at) return ask?.();
    positions.set(entry, window.scrollY);
    entry = kept.key;
    const before = address.get();
    const place = arrive();
    address.set(place);
    // A link to a part of this page makes an entry without a key; the browser has gone there by itself.
    // To the part that is shown it makes none.
    at = kept.at ?? (place.hash === before.hash ? at : at + 1);
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

/** Has every change of the address shown. @param shower done when the page is there. @returns how to stop */
export function onScreen(shower: Show): () => void {
  show = shower;
  return () => {
    show = async () => undefined;
  };
}

/** Goes to an address of this site, as it is written: `/saldo?new=1`. @returns when its page is there */
export function goTo(href: string, { replace = false, resetScroll = true }: How = {}) {
  const place = placeOf(new URL(href, window.location.href));
  history.scrollRestoration = 'manual';
  if (replace || written(place) === written(address.get())) {
    history.replaceState(history.state, '', written(place));
  } else {
    positions.set(entry, window.scrollY);
    // With the time: a page that is loaded anew counts from 0 again.
    entry = `${Date.now()} ${entries++}`;
    history.pushState({ key: entry, at: ++at }, '', written(place));
  }
  address.set(place);
  return show(screenOf(place, resetScroll ? 0 : undefined));
}

/** The address of a target, as a link has it. */
export function hrefOf<P extends Path>({ to, search, change, hash }: Target<P>): string {
  const now = change && screenOf(address.get());
  const kept = now?.path === to ? now.search : {};
  return to + stringifySearch({ ...kept, ...change, ...search }) + (hash ? `#${hash}` : '');
}

/** Goes to a page of the app. @returns when it is there */
export const navigate = <P extends Path>({ replace, resetScroll, ...target }: Target<P> & How) =>
  goTo(hrefOf(target), { replace, resetScroll });

/** Fetches the page of an address, for who is about to go there. */
export function preload(href: string): void {
  const { pathname } = new URL(href, window.location.href);
  const { route } = matchPath(routes, pathname);
  void route.layout?.bring();
  void route.page?.bring();
  // The addresses themselves are added by who goes there.
  const deeper = route.more?.().then((more) => matchPath(more, pathname).route.page?.bring());
  deeper?.catch(() => undefined);
}
