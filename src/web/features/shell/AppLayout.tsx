import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useMatches } from '@tanstack/react-router';
import { useEffect } from 'react';
import { onSessionChange } from '#web/client/session.ts';
import { userQuery, useUser } from '#web/client/user.ts';
import { AccountSheet, SidebarFoot } from '#web/features/shell/AccountMenu.tsx';
import styles from '#web/features/shell/AppLayout.module.css';
import { UnreadCount, UnreadTitle } from '#web/features/messages/UnreadCount.tsx';
import { useLive } from '#web/features/messages/useLive.ts';
import { Mark } from '#web/features/shell/Mark.tsx';
import { menu, operatorMenu } from '#web/features/shell/menu.ts';
import { NotFoundPage } from '#web/features/shell/NotFoundPage.tsx';
import { configQuery } from '#web/features/shell/queries.ts';
import { Saldo } from '#web/features/shell/Saldo.tsx';
import { useArrival } from '#web/features/shell/useArrival.ts';
import { classes } from '#web/ui/rules/classes.ts';
import { Spinner } from '#web/ui/Spinner.tsx';

/** Everything for who is signed in: the menu beside (or below) the page. */
export function AppLayout() {
  const { data: user } = useQuery(userQuery);
  useArrival();
  // Somebody signed in or out in another tab: this one shows another person's facts.
  useEffect(() => onSessionChange(() => window.location.reload()), []);
  return user ? <Shell /> : <Spinner screen />;
}

function Shell() {
  const operator = useUser().role === 'operator';
  // By what is shown, not by the address: that changes first, while the page before is still there.
  const operating = useMatches({
    select: (matches) => matches.some(({ routeId }) => routeId === '/app/operator'),
  });
  // Each has screens of their own; the operator's address is nobody's to everyone else.
  if (operating && !operator) return <NotFoundPage />;
  if (operator && !operating) return <Navigate to="/operator" replace />;
  return (
    <>
      <a href="#isi" className={styles['skip']}>
        Lewati ke isi halaman
      </a>
      <div className={styles['app']}>
        <aside className={styles['sidebar']}>
          <Link to="/" className={styles['home']} aria-label="Kabari, beranda">
            <Mark />
          </Link>
          <nav aria-label="Menu utama" className={styles['nav']}>
            <MenuLinks entries={operator ? operatorMenu : menu} />
          </nav>
          <div className={styles['foot']}>
            {!operator && <Saldo />}
            <SidebarFoot />
          </div>
        </aside>
        <header className={styles['topbar']}>
          <Link to="/" className={styles['home']} aria-label="Kabari, beranda">
            <Mark />
          </Link>
          <div className={styles['topbarEnd']}>
            {!operator && <Saldo short />}
            <AccountSheet />
          </div>
        </header>
        <main id="isi" tabIndex={-1} className={styles['main']}>
          {!operator && <Live />}
          <SimulatorBanner />
          <Outlet />
        </main>
        {!operator && (
          <nav aria-label="Menu bawah" className={classes(styles['bottom'])}>
            <MenuLinks entries={menu} />
          </nav>
        )}
      </div>
    </>
  );
}

/** Keeps a customer's screens current; shows nothing itself. */
function Live() {
  useLive(useUser().id);
  return <UnreadTitle />;
}

type Entries = typeof menu | typeof operatorMenu;

const MenuLinks = ({ entries }: { entries: Entries }) => (
  <ul className={styles['links']}>
    {entries.map(({ to, label, Icon }) => (
      <li key={to}>
        <Link
          to={to}
          activeOptions={{ exact: to === '/' }}
          className={styles['link']}
          title={label}
        >
          <Icon size={20} aria-hidden="true" />
          <span>{label}</span>
          {to === '/message-history' && <UnreadCount />}
        </Link>
      </li>
    ))}
  </ul>
);

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
