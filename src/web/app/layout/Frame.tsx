import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { Outlet } from '#web/browser/router/Router.tsx';
import { Search } from 'lucide-react';
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
import { NewVersion, useNewVersion } from '#web/app/layout/NewVersion.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import { useFrameHeights } from '#web/app/layout/useFrameHeights.ts';
import { WaitingSends } from '#web/app/layout/WaitingSends.tsx';
import {
  Sidebar,
  type MenuEntry,
  type MenuFolder,
  type SidebarWidth,
} from '#web/ui/layout/Sidebar.tsx';

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
              <Link
                to="/"
                className={classes(
                  'inline-flex w-fit py-4 px-8 rounded no-underline relative',
                  styles['home'],
                )}
                aria-label="Kabari, beranda"
              >
                <Logo />
              </Link>
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
    <header ref={place} className={styles['topbar']}>
      <Link
        to="/"
        className={classes(
          'inline-flex w-fit py-4 px-8 rounded no-underline relative',
          styles['home'],
        )}
        aria-label="Kabari, beranda"
      >
        <Logo />
      </Link>
      <div className={styles['topbarEnd']}>
        {saldo}
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
    <p className={classes('mb-20 strong rounded solid-warning', styles['banner'])} role="status">
      Simulator menyala: pesan di sini tidak sampai ke ponsel sungguhan.
    </p>
  );
}
