import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { Outlet, usePath } from '#web/browser/router/Router.tsx';
import { Search } from 'lucide-react';
import {
  startTransition,
  useDeferredValue,
  useEffect,
  useRef,
  useState,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { painted } from '#web/browser/scheduling/painted.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { useSameUser } from '#web/features/profile/preferences/preferences.ts';
import { onSessionChange } from '#web/browser/session.ts';
import { usePush } from '#web/features/push/usePush.ts';
import { useUser, useAuthState } from '#web/api/user.ts';
import { livePatches } from '#web/app/livePatches.ts';
import { AccountSheet, AccountTools, SidebarFoot } from '#web/app/layout/AccountMenu.tsx';
import styles from '#web/app/layout/AppLayout.module.css';
import { ClosingNotice } from '#web/features/profile/closing/ClosingNotice.tsx';
import { ReauthHost } from '#web/features/profile/reauth/ReauthHost.tsx';
import { UnreadCount, UnreadTitle } from '#web/features/messages/UnreadCount.tsx';
import { useIncoming } from '#web/features/messages/incoming/useIncoming.ts';
import { useFrameKeys } from '#web/app/shortcuts/appShortcuts.ts';
import { OverlayButton } from '#web/app/palette/OverlayButton.tsx';
import { OverlayHost } from '#web/app/palette/OverlayHost.tsx';
import { Unreached } from '#web/app/layout/LostServer.tsx';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { menu, operatorMenu } from '#web/app/navigation/menu.ts';
import { NewVersion, useNewVersion } from '#web/app/layout/NewVersion.tsx';
import { NotFoundPage } from '#web/ui/page/NotFoundPage.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import { Saldo } from '#web/app/layout/Saldo.tsx';
import { useAuthRedirect } from '#web/app/routes/useAuthRedirect.ts';
import { useFrameHeights } from '#web/app/layout/useFrameHeights.ts';
import { WaitingSends } from '#web/app/layout/WaitingSends.tsx';
import { BottomBar } from '#web/ui/layout/BottomBar.tsx';
import { Sidebar, type MenuEntry, type SidebarWidth } from '#web/ui/layout/Sidebar.tsx';
import { Spinner } from '#web/ui/button/Spinner.tsx';

/** Everything for who is signed in: the menu beside (or below) the page. */
export function AppLayout() {
  // Deferred: the whole frame is drawn in slices, and not in one go that stops a phone.
  const { state, user: signedIn, retry } = useAuthState();
  const user = useDeferredValue(signedIn);
  useAuthRedirect();
  // Somebody signed in or out in another tab: this one shows another person's facts.
  useEffect(() => onSessionChange(() => window.location.reload()), []);
  if (user) return <Shell />;
  return state === 'unreached' ? <Unreached retry={retry} /> : <Spinner screen />;
}

function Shell() {
  const user = useUser();
  const operator = user.role === 'operator';
  const [width, setWidth] = useStoredWidth();
  const [isNews, putOff] = useNewVersion();
  useFrameKeys();
  usePush();
  useSameUser(user);
  // By what is shown, not by the address: that changes first, while the page before is still there.
  const place = usePath();
  const framed = useFramed();
  const operating = place === '/operator' || (place?.startsWith('/operator/') ?? false);
  // Each has screens of their own; the operator's address is nobody's to everyone else.
  if (operating && !operator) return <NotFoundPage />;
  if (operator && !operating && place !== '/profile') return <ToOperator />;
  return (
    <>
      <a href="#isi" className={styles['skip']} onClick={skip}>
        Lewati ke isi halaman
      </a>
      <WaitingSends />
      <div className={styles['app']}>
        <Sidebar
          label="Menu utama"
          menu={operator ? operatorMenu : entries}
          width={width}
          onWidth={setWidth}
          head={
            <div className={styles['head']}>
              <Link to="/" className={styles['home']} aria-label="Kabari, beranda">
                <Logo />
              </Link>
              <PaletteButton />
            </div>
          }
          foot={(icons) => (
            <>
              {isNews && <NewVersion onLater={putOff} />}
              {!operator && <Saldo named={icons} />}
              <SidebarFoot icons={icons} />
            </>
          )}
        />
        <TopBar operator={operator} news={isNews && <NewVersion onLater={putOff} />} />
        <main id="isi" tabIndex={-1} className={styles['main']}>
          {!operator && <Live />}
          <SimulatorBanner />
          <ClosingNotice />
          {framed && <Outlet />}
        </main>
        {!operator && <BottomBar label="Menu bawah" menu={entries} more={<AccountTools />} />}
      </div>
      <OverlayHost />
      <ReauthHost />
    </>
  );
}

/** The frame was on the screen before. */
let wasFramed = false;

/**
 * True when the frame is on the screen: drawn in one go, it and the page stop a phone for as long as both
 * take. Who comes back to it has the page at once, which is scrolled to where it was left.
 */
function useFramed(): boolean {
  const [framed, setFramed] = useState(wasFramed);
  useEffect(() => {
    void painted().then(() => {
      wasFramed = true;
      startTransition(() => setFramed(true));
    });
  }, []);
  return framed;
}

/** Where an operator's work is. */
function ToOperator() {
  useEffect(() => void navigate({ to: '/operator', replace: true }), []);
  return null;
}

/** The same page stays the same address: an entry of its own would be another one for Back. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('isi')?.focus();
}

/** Phones have this instead of the sidebar's head. */
function TopBar({ operator, news }: { operator: boolean; news: ReactNode }) {
  const place = useRef<HTMLElement>(null);
  useFrameHeights(place);
  return (
    <header ref={place} className={styles['topbar']}>
      <Link to="/" className={styles['home']} aria-label="Kabari, beranda">
        <Logo />
      </Link>
      <div className={styles['topbarEnd']}>
        {!operator && <Saldo short />}
        <PaletteButton />
        <AccountSheet />
      </div>
      {news}
    </header>
  );
}

const PaletteButton = () => (
  <OverlayButton
    opens="palette"
    label="Cari atau lompat"
    keys="Control+K Meta+K"
    Icon={Search}
    className={styles['search']}
  />
);

/** Keeps a customer's screens current; shows nothing itself. */
function Live() {
  useIncoming(useUser().id, livePatches);
  return <UnreadTitle />;
}

/** The customer's menu, with what is unread. */
const entries: readonly MenuEntry[] = menu.map((entry) =>
  entry.href === '/message-history' ? { ...entry, badge: <UnreadCount /> } : entry,
);

const WIDTH = 'menu-width';

/** Wide or icons, as this person left it: forgotten at sign-out, with all else that is kept. */
function useStoredWidth(): [SidebarWidth, (width: SidebarWidth) => void] {
  const [width, setWidth] = useState<SidebarWidth>(() => {
    const before = storageGet('browser', WIDTH);
    return before === 'wide' || before === 'icons' ? before : undefined;
  });
  const choose = (chosen: SidebarWidth) => {
    storageSet('browser', WIDTH, chosen);
    setWidth(chosen);
  };
  return [width, choose];
}

/** In production a simulated network must never be taken for a real one. */
function SimulatorBanner() {
  const { data: config } = useQuery(configQuery);
  if (!config?.production || !config.simulator) return null;
  return (
    <p className={styles['banner']} role="status">
      Simulator menyala: pesan di sini tidak sampai ke ponsel sungguhan.
    </p>
  );
}
