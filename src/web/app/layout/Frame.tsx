import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { Outlet } from '#web/browser/router/Router.tsx';
import { Search, RefreshCw } from 'lucide-react';
import {
  startTransition,
  useEffect,
  useRef,
  useState,
  type ComponentType,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { painted } from '#web/browser/scheduling/painted.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { useSameUser } from '#web/features/profile/preferences/preferences.ts';
import { usePush } from '#web/features/push/usePush.ts';
import { useUser } from '#web/api/user.ts';
import { AccountSheet, SidebarFoot } from '#web/app/layout/AccountMenu.tsx';
import styles from '#web/app/layout/frame.module.css';
import { classes } from '#web/ui/classes.ts';
import { ClosingNotice } from '#web/features/profile/closing/ClosingNotice.tsx';
import { ReauthHost } from '#web/features/profile/reauth/ReauthHost.tsx';
import { useFrameKeys } from '#web/app/shortcuts/appShortcuts.ts';
import { OverlayButton } from '#web/app/palette/OverlayButton.tsx';
import { OverlayHost } from '#web/app/palette/OverlayHost.tsx';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import { useFrameHeights } from '#web/app/layout/useFrameHeights.ts';
import {
  Sidebar,
  type MenuEntry,
  type MenuFolder,
  type SidebarWidth,
} from '#web/ui/layout/Sidebar.tsx';
import { announceUpdate, takeUpdate, useAppUpdate } from '#web/browser/install/appUpdate.ts';
import { announce } from '#web/ui/announce/announce.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { createPortal } from 'react-dom';
import { formatNumber } from '#contract/base/money.ts';
import { useStore } from '#web/browser/store.ts';
import { useServerAway } from '#web/api/server.ts';
import { unsent } from '#web/api/unsent.ts';
import { OFFLINE_PLACE, useOnline } from '#web/ui/layout/OfflineBar.tsx';

type Props = {
  menu: readonly (MenuEntry | MenuFolder)[];
  saldo?: ComponentType<{ short?: boolean; named?: boolean }>;
  bottom: ReactNode;
  children?: ReactNode;
};

/** The frame of all signed-in pages: the menu beside (or below) the page. */
export function Frame({ menu, saldo: Saldo, bottom, children }: Props) {
  const user = useUser();
  const [width, setWidth] = useStoredWidth();
  const [isNews, putOff] = useNewVersion();
  useFrameKeys();
  usePush();
  useSameUser(user);
  const framed = useFramed();
  return (
    <>
      <a
        href="#isi"
        className={classes('py-10 px-16 rounded solid-primary strong', styles['skip'])}
        onClick={skip}
      >
        Lewati ke isi halaman
      </a>
      <WaitingSends />
      <div className={classes('grid columns-start', styles['app'])}>
        <Sidebar
          label="Menu utama"
          menu={menu}
          width={width}
          onWidth={setWidth}
          head={
            <div className={classes('row justify-between gap-4 grow', styles['head'])}>
              <Home />
              <PaletteButton />
            </div>
          }
          foot={(icons) => (
            <>
              {isNews && <NewVersion onLater={putOff} />}
              {Saldo && <Saldo named={icons} />}
              <SidebarFoot icons={icons} />
            </>
          )}
        />
        <TopBar saldo={Saldo && <Saldo short />} news={isNews && <NewVersion onLater={putOff} />} />
        <main id="isi" tabIndex={-1} className={classes('w-full mx-auto', styles['main'])}>
          {children}
          <SimulatorBanner />
          <ClosingNotice />
          {framed && <Outlet />}
        </main>
        {bottom}
      </div>
      <OverlayHost />
      <ReauthHost />
    </>
  );
}

let wasFramed = false;

/**
 * True once the frame is on the screen: rendering frame and page together would block a phone. After the first time it
 * is true at once, so that the page can restore its scroll position.
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

/** A link to the current page must not add a history entry. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('isi')?.focus();
}

function TopBar({ saldo, news }: { saldo: ReactNode; news: ReactNode }) {
  const place = useRef<HTMLElement>(null);
  useFrameHeights(place);
  return (
    <header ref={place} className={classes('row wrap justify-between below-768', styles['topbar'])}>
      <Home />
      <div className="row gap-2">
        {saldo}
        <PaletteButton />
        <AccountSheet />
      </div>
      {news}
    </header>
  );
}

const Home = () => (
  <Link
    to="/"
    className={classes('inline-flex w-fit py-4 px-8 rounded no-underline relative', styles['home'])}
    aria-label="Kabari, beranda"
  >
    <Logo />
  </Link>
);

const PaletteButton = () => (
  <OverlayButton
    opens="palette"
    label="Cari atau lompat"
    keys="Control+K Meta+K"
    Icon={Search}
    className={classes(
      'place-center flex-none size-32 rounded faint hover-line-ink touch-square',
      styles['search'],
    )}
  />
);

const WIDTH = 'menu-width';

/** The sidebar's width, stored until sign-out. */
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

/** In production a simulated network must not be mistaken for a real one. */
function SimulatorBanner() {
  const { data: config } = useQuery(configQuery);
  if (!config?.production || !config.simulator) return null;
  return (
    <p className="mb-20 strong rounded solid-warning py-10 px-12" role="status">
      Simulator menyala: pesan di sini tidak sampai ke ponsel sungguhan.
    </p>
  );
}

const CHECK_MS = 300_000;

/** Announces an update when the server serves another build than this page's. */
function useBuildCheck(): void {
  const { data } = useQuery({
    ...configQuery,
    staleTime: CHECK_MS,
    refetchInterval: CHECK_MS,
    refetchOnWindowFocus: true,
  });
  const build = data?.build;
  const first = useRef(build);
  useEffect(() => {
    first.current ??= build;
    if (build !== first.current) announceUpdate();
  }, [build]);
}

/** Whether to announce a newer version, and how to dismiss it until the next load. */
function useNewVersion(): [boolean, () => void] {
  useBuildCheck();
  const ready = useAppUpdate();
  const [later, setLater] = useState(false);
  const shown = ready && !later;
  useEffect(() => {
    if (shown) announce('Versi baru tersedia. Muat ulang untuk memakainya.');
  }, [shown]);
  return [shown, () => setLater(true)];
}

/** The notice of a newer version, which is loaded only on click. */
function NewVersion({ onLater }: { onLater: () => void }) {
  const [busy, setBusy] = useState(false);
  const reload = () => {
    setBusy(true);
    // The person may stay if the browser asks about unsaved work.
    void takeUpdate().finally(() => setBusy(false));
  };
  return (
    <section
      className={classes(
        'row wrap gap-8 gap-x-12 small leading-ui py-10 px-12 rounded-lg',
        styles['card'],
      )}
      aria-label="Versi baru"
    >
      <p className={classes('strong', styles['words'])}>Versi baru tersedia</p>
      <Button
        size="sm"
        variant="outline"
        tone="primary"
        busy={busy}
        icon={<RefreshCw size={16} />}
        onClick={reload}
      >
        <span className={styles['word']}>Muat ulang</span>
      </Button>
      <Button size="sm" variant="link" tone="neutral" className={styles['later']} onClick={onLater}>
        Nanti
      </Button>
    </section>
  );
}

/** The number of messages that wait for a network or the server, below the bar that says so. */
function WaitingSends() {
  const waiting = useStore(unsent).filter(({ failed }) => !failed);
  const offline = !useOnline();
  const away = useServerAway();
  const operator = useUser().role === 'operator';
  const bar = document.getElementById(OFFLINE_PLACE);
  if (!(offline || away) || waiting.length === 0 || !bar) return null;
  const last = waiting.findLast(({ kind }) => kind === 'conversation');
  const [open, peer] = last?.thread.split(' ') ?? [];
  return createPortal(
    <p
      className={classes(
        'row justify-center gap-8 small text-warning leading-ui bg-warning',
        styles['line'],
      )}
    >
      {formatNumber(waiting.length)} pesan menunggu tersambung.
      {last ? (
        <Link to="/message-history" search={{ view: 'percakapan', open, peer }}>
          Lihat
        </Link>
      ) : (
        <Link to={operator ? '/operator/layanan' : '/customer-service'}>Lihat</Link>
      )}
    </p>,
    bar,
  );
}
