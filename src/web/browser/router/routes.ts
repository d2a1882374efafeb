import type { Later } from '#web/browser/lazyComponent.ts';
import { decoded } from './decoded.ts';
import type { Readers, SearchOf } from '#web/browser/router/searchFields.ts';

/** A page and its layout; or a forwarding address. */
export type Route = {
  page?: Later<object>;
  /** Stays mounted between pages of the same layout; renders them by `Outlet`. */
  layout?: Later<object> | undefined;
  search?: Readers;
  redirect?: string;
  /** Loads the addresses behind a wildcard such as `/operator/*`, on first use. */
  more?: () => Promise<Routes>;
};

/** All routes: a segment that begins with `$` matches any text, a final `*` any rest or none. */
export type Routes = Readonly<Record<string, Route>>;

/** The app adds its `addresses`, so that their queries are typed. */
// oxlint-disable-next-line typescript/no-empty-object-type -- only an interface can be added to.
export interface Registered {}

type Addresses = Registered extends { addresses: infer All extends Record<string, Readers> }
  ? All
  : Record<string, Readers>;

export type Path = Extract<keyof Addresses, string>;

export type Search<P extends Path> = SearchOf<Addresses[P]>;

export type Params = Readonly<Record<string, string>>;

export type Match = { path: string | undefined; route: Route; params: Params };

const nowhere: Match = { path: undefined, route: {}, params: {} };

const segmentsOf = (path: string): string[] => path.split('/').filter(Boolean);

/** The route of a path; ignores case and a trailing slash. */
export function matchPath(routes: Routes, pathname: string): Match {
  const given = segmentsOf(pathname);
  for (const [path, route] of Object.entries(routes)) {
    const segments = segmentsOf(path);
    const isGroup = segments.at(-1) === '*';
    if (isGroup) segments.pop();
    if (isGroup ? segments.length > given.length : segments.length !== given.length) continue;
    const params: Record<string, string> = {};
    const fits = segments.every((segment, at) => {
      const one = given[at] ?? '';
      if (!segment.startsWith('$')) return segment.toLowerCase() === one.toLowerCase();
      params[segment.slice(1)] = decoded(one);
      return true;
    });
    if (fits) return { path, route, params };
  }
  return nowhere;
}
