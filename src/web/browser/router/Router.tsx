import {
  createContext,
  startTransition,
  Suspense,
  use,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react';
import { Boundary } from './Boundary.tsx';
import { address, onScreen, openedAt, screenOf, withAddresses, type Screen } from './navigation.ts';
import type { Params, Path, Search } from './routes.ts';
import { painted } from '#web/browser/scheduling/painted.ts';
import { withTransition } from './viewTransition.ts';
import { decoded } from './decoded.ts';

/** The time for which the previous page stays while the next one's code loads. */
const PENDING_MS = 300;

type Parts = {
  Broken: ComponentType<{ error: unknown }>;
  NotFound: ComponentType;
  pending: ReactNode;
};

type Shown = Pick<Screen, 'path' | 'route'> & Parts & { ready: boolean };

const ShownContext = createContext<Shown | undefined>(undefined);
const ParamsContext = createContext<Params>({});
export const SearchContext = createContext<Screen['search']>({});
const ScreenContext = createContext<Screen | undefined>(undefined);

/** Renders the page of the address, once its code is loaded. */
export function Router({ parts }: { parts: Parts }) {
  const { screen, ready } = useScreen();
  const { path, route } = screen;
  const shown = useMemo(() => ({ path, route, ready, ...parts }), [path, route, ready, parts]);
  const { Broken, pending } = parts;
  const Layout = route.layout;
  const layoutIsHere = ready || Layout?.isHere() !== false;
  return (
    <ShownContext value={shown}>
      <ParamsContext value={screen.params}>
        <SearchContext value={screen.search}>
          <ScreenContext value={screen}>
            <Boundary resetKey={shown} fallback={(error) => <Broken error={error} />}>
              <Suspense fallback={pending}>
                {!layoutIsHere ? pending : Layout ? <Layout /> : <Outlet />}
              </Suspense>
            </Boundary>
          </ScreenContext>
        </SearchContext>
      </ParamsContext>
    </ShownContext>
  );
}

export function Outlet() {
  const { path, route, ready, NotFound, Broken, pending } = useShown();
  const Page = route.page ?? NotFound;
  return (
    <Boundary
      resetKey={path}
      fallback={(error, again) => (
        <UntilLeft again={again}>
          <Broken error={error} />
        </UntilLeft>
      )}
    >
      <Suspense key={path} fallback={pending}>
        {ready ? <Page /> : pending}
      </Suspense>
    </Boundary>
  );
}

/** Replaces a failed page until the next navigation, also to the same address. */
function UntilLeft({ again, children }: { again: () => void; children: ReactNode }) {
  const screen = use(ScreenContext);
  const broken = useRef(screen);
  useEffect(() => {
    if (screen !== broken.current) again();
  }, [screen, again]);
  return children;
}

function useShown(): Shown {
  const shown = use(ShownContext);
  if (!shown) throw new Error('no Router above this component');
  return shown;
}

/** The route pattern of the shown page; `undefined` for unknown addresses. */
export const usePath = (): string | undefined => useShown().path;

/** The path of the address, which may be ahead of the shown page. */
export function usePathname(): string {
  const [pathname, setPathname] = useState(() => address.get().pathname);
  useEffect(() => {
    const follow = () => startTransition(() => setPathname(address.get().pathname));
    follow();
    return address.subscribe(follow);
  }, []);
  return pathname;
}

/** The values of the `$` segments. */
export const useParams = (): Params => use(ParamsContext);

/** The query of this page, typed by its route. */
export const useSearch = <P extends Path>(_page: P): Search<P> => use(SearchContext) as Search<P>;

const partsOf = ({ route: { layout, page } }: Screen) =>
  [layout, page].filter((part) => part !== undefined);
const isHere = (screen: Screen): boolean =>
  !screen.route.more && partsOf(screen).every((part) => part.isHere());
const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** A screen, and whether its code is loaded. Waited for here, because React would hold back what loads quickly. */
type Change = { screen: Screen; ready: boolean };

function useScreen(): Change {
  const [change, setChange] = useState<Change>(() => {
    const screen = screenOf(address.get(), openedAt());
    return { screen, ready: isHere(screen) };
  });
  const shown = useRef<Change>(change);
  const arrivals = useRef<(() => void)[]>([]);
  useLayoutEffect(() => {
    shown.current = change;
    for (const arrive of arrivals.current.splice(0)) arrive();
    if (change.ready) scrollFor(change.screen);
  }, [change]);
  // Before the effects of the page, so that its own redirects are handled.
  useLayoutEffect(() => {
    let target: Screen;
    const put = (next: Change) =>
      new Promise<void>((arrive) => {
        arrivals.current.push(arrive);
        startTransition(() => setChange(next));
      });
    const show = async (requested: Screen) => {
      target = requested;
      let screen = requested;
      // The link shows its pressed state before the page renders and before its files are fetched.
      await painted();
      if (target === requested && !isHere(screen)) {
        const bring = async () => {
          screen = await withAddresses(screen);
          await Promise.all(partsOf(screen).map((part) => part.bring()));
        };
        const brought = bring();
        await Promise.race([brought, wait(PENDING_MS)]);
        if (target === requested && !isHere(screen)) void put({ screen, ready: false });
        await brought;
      }
      if (target !== requested) return;
      const next = () => put({ screen, ready: true });
      // Paging and filtering change the address too; only another page gets a transition.
      const { screen: before, ready } = shown.current;
      await (ready && before.path !== screen.path ? withTransition(next) : next());
    };
    if (!shown.current.ready) void show(shown.current.screen);
    return onScreen(show);
  }, []);
  return change;
}

const FILLING_MS = 3_000;

let stop = () => undefined as void;

function scrollFor({ scroll, place }: Pick<Screen, 'scroll' | 'place'>): void {
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
