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
import { scrollFor } from './scroll.ts';
import { painted } from '#web/browser/scheduling/painted.ts';
import { withTransition } from './viewTransition.ts';

/** As long as the page before stays while the code of the next one is on its way. */
const PENDING_MS = 300;

type Parts = {
  /** Instead of a page that broke. */
  Broken: ComponentType<{ error: unknown }>;
  /** For addresses that are nobody's. */
  NotFound: ComponentType;
  /** While code is on its way. */
  pending: ReactNode;
};

/** What stands around the page and the page itself, as far as their code is there. */
type Shown = Pick<Screen, 'path' | 'route'> & Parts & { ready: boolean };

const ShownContext = createContext<Shown | undefined>(undefined);
const ParamsContext = createContext<Params>({});
export const SearchContext = createContext<Screen['search']>({});
const ScreenContext = createContext<Screen | undefined>(undefined);

/** Shows the page of the address: the next one when its code is there. */
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

/** The page, where its layout has a place for it. */
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

/** Stands instead of a page that broke, until somebody goes anywhere: also where they are. */
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
  if (!shown) throw new Error('there is no Router around this');
  return shown;
}

/** The address of the page that is shown, as the app lists it; `undefined` for one that is nobody's. */
export const usePath = (): string | undefined => useShown().path;

/** The path of the address: before its page is shown, when that takes a while. */
export function usePathname(): string {
  const [pathname, setPathname] = useState(() => address.get().pathname);
  useEffect(() => {
    const follow = () => startTransition(() => setPathname(address.get().pathname));
    follow();
    return address.subscribe(follow);
  }, []);
  return pathname;
}

/** What the `$` segments of the shown page's address are. */
export const useParams = (): Params => use(ParamsContext);

/** What the query says, on the page of this address: typed as its route reads it. */
export const useSearch = <P extends Path>(_page: P): Search<P> => use(SearchContext) as Search<P>;

const partsOf = ({ route: { layout, page } }: Screen) =>
  [layout, page].filter((part) => part !== undefined);
const isHere = (screen: Screen): boolean =>
  !screen.route.more && partsOf(screen).every((part) => part.isHere());
const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** A screen, and whether its code is there. Waited for here: React would hold back what comes soon. */
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
    // Also those that were overtaken: nobody waits for them any more.
    for (const arrive of arrivals.current.splice(0)) arrive();
    if (change.ready) scrollFor(change.screen);
  }, [change]);
  // Before the effects of the page: what it leads on to at once is shown, too.
  useLayoutEffect(() => {
    let wanted: Screen;
    const put = (next: Change) =>
      new Promise<void>((arrive) => {
        arrivals.current.push(arrive);
        startTransition(() => setChange(next));
      });
    const show = async (asked: Screen) => {
      wanted = asked;
      let screen = asked;
      // The link answers before its page takes the time that it needs, and before its files are asked for.
      await painted();
      if (wanted === asked && !isHere(screen)) {
        const bring = async () => {
          screen = await withAddresses(screen);
          await Promise.all(partsOf(screen).map((part) => part.bring()));
        };
        const brought = bring();
        await Promise.race([brought, wait(PENDING_MS)]);
        if (wanted === asked && !isHere(screen)) void put({ screen, ready: false });
        await brought;
      }
      if (wanted !== asked) return;
      const next = () => put({ screen, ready: true });
      // Paging and filtering change the address, too; only another page is worth a transition.
      const { screen: before, ready } = shown.current;
      await (ready && before.path !== screen.path ? withTransition(next) : next());
    };
    // What the page was opened with.
    if (!shown.current.ready) void show(shown.current.screen);
    return onScreen(show);
  }, []);
  return change;
}
