import { useQueryClient, useQuery } from '@tanstack/react-query';
import { navigate } from '#web/browser/router/navigation.ts';
import { usePath } from '#web/browser/router/Router.tsx';
import { useDeferredValue, useEffect, useState, type ComponentType } from 'react';
import { later } from '#web/browser/lazyComponent.ts';
import { onSessionChange } from '#web/browser/session.ts';
import { useUser, useAuthState } from '#web/api/user.ts';
import { livePatches } from '#web/app/livePatches.ts';
import { AccountTools } from '#web/app/layout/AccountMenu.tsx';
import { Frame } from '#web/app/layout/Frame.tsx';
import { unreadQuery } from '#web/features/messages/queries.ts';
import { supportNews, supportUnreadQuery } from '#web/features/support/unread.ts';
import { useIncoming } from '#web/features/messages/incoming/useIncoming.ts';
import { openOverlay } from '#web/app/palette/overlay.ts';
import { watchExports } from '#web/features/exports/notice/notice.ts';
import { Unreached } from '#web/app/layout/LostServer.tsx';
import { menu } from '#web/app/navigation/menu.ts';
import { NotFoundPage } from '#web/ui/page/NotFoundPage.tsx';
import { isOperators } from '#web/app/routes/isOperators.ts';
import { useAuthRedirect } from '#web/app/routes/useAuthRedirect.ts';
import { useFirstScreen } from '#web/app/routes/useFirstScreen.ts';
import { BottomBar } from '#web/ui/layout/BottomBar.tsx';
import type { MenuEntry } from '#web/ui/layout/Sidebar.tsx';
import { Spinner } from '#web/ui/button/Spinner.tsx';
import { Link } from '#web/browser/router/Link.tsx';
import { formatCompact, formatRupiah } from '#contract/base/money.ts';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
import styles from '#web/app/layout/frame.module.css';
import { classes } from '#web/ui/classes.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Tooltip } from '#web/ui/overlay/Tooltip.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { showCount } from '#web/browser/tab/tabTitle.ts';
import { ShortCount } from '#web/ui/status/CountBadge.tsx';
import { useSending } from '#web/app/layout/useSending.ts';

/** The operator's menu is loaded with the operator pages only. */
const OperatorShell = later(() => import('#web/app/shells/OperatorShell.tsx'));

const SuspendedShell = later(() => import('#web/app/shells/SuspendedShell.tsx'));

/** The layout of the signed-in pages: the menu beside (or below) the page. */
export function AppLayout() {
  // Deferred: renders the frame in slices instead of blocking a phone.
  const { state, user: signedIn, retry } = useAuthState();
  const user = useDeferredValue(signedIn);
  useAuthRedirect();
  const awaitsFirstScreen = useFirstScreen(signedIn);
  // Another tab signed in or out: the data on this page belongs to another user.
  useEffect(() => onSessionChange(() => window.location.reload()), []);
  if (user && !awaitsFirstScreen) return <Shell />;
  return state === 'unreached' ? <Unreached retry={retry} /> : <Spinner screen />;
}

function Shell() {
  const { role, suspension } = useUser();
  const operator = role === 'operator';
  // By the page shown, not by the address, which changes first.
  const place = usePath();
  const operating = place !== undefined && isOperators(place);
  if (suspension) return <SuspendedShell />;
  // Each role has its own pages; operator addresses do not exist for customers.
  if (operating && !operator) return <NotFoundPage />;
  if (operator && !operating && place !== '/profile') return <ToOperator />;
  return operator ? <OperatorShell /> : <CustomerShell />;
}

const CustomerShell = () => (
  <Frame
    menu={entries}
    saldo={Saldo}
    bottom={<BottomBar label="Menu bawah" menu={entries} more={<AccountTools />} />}
  >
    <Live />
  </Frame>
);

function ToOperator() {
  useEffect(() => void navigate({ to: '/operator', replace: true }), []);
  return null;
}

const followed = { patches: livePatches, support: supportNews, messages: true };

function Live() {
  const { id, broadcasts } = useUser();
  const client = useQueryClient();
  useIncoming(id, followed);
  useSending('conversation');
  useSending('support');
  useEffect(() => {
    const onOpen = () => openOverlay('exports');
    return watchExports({ client, userId: id, onOpen });
  }, [client, id]);
  return (
    <>
      <UnreadTitle />
      {broadcasts !== undefined && <Broadcasts name={broadcasts} />}
    </>
  );
}

/** Broadcasts of operators to customers; the code is loaded when there is one. */
function Broadcasts({ name }: { name: string }) {
  const [Banner, setBanner] = useState<ComponentType<{ name: string }>>();
  useEffect(() => {
    import('#web/features/broadcasts/BroadcastBanner.tsx').then(
      ({ BroadcastBanner }) => setBanner(() => BroadcastBanner),
      () => undefined,
    );
  }, [name]);
  return Banner ? <Banner name={name} /> : null;
}

const counted: Readonly<Record<string, typeof unreadQuery | typeof supportUnreadQuery>> = {
  '/message-history': unreadQuery,
  '/customer-service': supportUnreadQuery,
};

const entries: readonly MenuEntry[] = menu.map((entry) => {
  const query = counted[entry.href];
  return query ? { ...entry, badge: <UnreadCount query={query} /> } : entry;
});

/** The balance, linked to its page. With `named` a tooltip has the full amount. */
function Saldo({ short = false, named = false }: { short?: boolean; named?: boolean }) {
  const { data } = useQuery(saldoQuery);
  const amount = data ? <Money amount={data.available} /> : <Skeleton width={88} />;
  return (
    <Tooltip text={data ? `Saldo ${formatRupiah(data.available)}` : 'Saldo'} off={!named}>
      <Link to="/saldo" className={classes(styles['saldo'], short && styles['short'])}>
        <span className={short ? 'sr-only' : 'tiny'}>Saldo </span>
        <span className={classes(short ? 'small' : 'larger', 'ink heading', styles['amount'])}>
          {amount}
        </span>
        {!short && (
          <span className={styles['narrow']} aria-hidden="true">
            {data && formatCompact(data.available)}
          </span>
        )}
        {!short && data !== undefined && data.held > 0 && (
          <span className={classes('tiny', styles['held'])}>
            {' '}
            Tertahan <Money amount={data.held} />
          </span>
        )}
      </Link>
    </Tooltip>
  );
}

type Counted = typeof unreadQuery | typeof supportUnreadQuery;

const useTotal = (query: Counted): number =>
  // Both have the same type; only their keys differ.
  useQuery(query as typeof unreadQuery).data?.total ?? 0;

/** The unread count for the menu's badge; empty at 0. */
function UnreadCount({ query }: { query: Counted }) {
  return <ShortCount count={useTotal(query)} of="belum dibaca" />;
}

/** Shows the total in the tab's title and on the app's icon; renders nothing. */
function UnreadTitle() {
  const total = useTotal(unreadQuery) + useTotal(supportUnreadQuery);
  useEffect(() => showCount(total), [total]);
  useEffect(() => () => showCount(0), []);
  return null;
}
