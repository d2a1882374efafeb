import type { Later } from '#web/browser/lazyComponent.ts';
import { decoded } from './decoded.ts';
import type { Readers, SearchOf } from '#web/browser/router/searchFields.ts';

/** A page and what stands around it; or an address that only leads on to another. */
export type Route = {
  page?: Later<object>;
  /** Stays while pages of the same layout follow each other; shows them by `Outlet`. */
  layout?: Later<object> | undefined;
  /** What its query may say. */
  search?: Readers;
  redirect?: string;
  /** Brings the addresses that its own, `/operator/*`, stands for: they are added when one is asked for. */
  more?: () => Promise<Routes>;
};

/** All addresses: a segment that begins with `$` is any text, `*` at the end whatever follows, or nothing. */
export type Routes = Readonly<Record<string, Route>>;

/** The app adds its `addresses`, so that they and what their queries say are known as types. */
// oxlint-disable-next-line typescript/no-empty-object-type -- only an interface can be added to.
export interface Registered {}

type Addresses = Registered extends { addresses: infer All extends Record<string, Readers> }
  ? All
  : Record<string, Readers>;

/** An address of the app. */
export type Path = Extract<keyof Addresses, string>;

/** What the query of an address says. */
export type Search<P extends Path> = SearchOf<Addresses[P]>;

export type Params = Readonly<Record<string, string>>;

export type Match = { path: string | undefined; route: Route; params: Params };

const nowhere: Match = { path: undefined, route: {}, params: {} };

const segmentsOf = (path: string): string[] => path.split('/').filter(Boolean);

/** The route of a path, in whatever case it is written, with or without a slash at its end. */
export function matchPath(routes: Routes, pathname: string): Match {
  const given = segmentsOf(pathname);
  for (const [path, route] of Object.entries(routes)) {
    const wanted = segmentsOf(path);
    const isGroup = wanted.at(-1) === '*';
    if (isGroup) wanted.pop();
    if (isGroup ? wanted.length > given.length : wanted.length !== given.length) continue;
    const params: Record<string, string> = {};
    const fits = wanted.every((segment, at) => {
      const one = given[at] ?? '';
      if (!segment.startsWith('$')) return segment.toLowerCase() === one.toLowerCase();
      params[segment.slice(1)] = decoded(one);
      return true;
    });
    if (fits) return { path, route, params };
  }
  return nowhere;
}
