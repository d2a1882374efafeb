import { useQueryClient } from '@tanstack/react-query';
import { navigate } from '#web/browser/router/navigation.ts';
import { usePath } from '#web/browser/router/Router.tsx';
import { useDeferredValue, useEffect, useState, type ComponentType } from 'react';
import { later } from '#web/browser/lazyComponent.ts';
import { onSessionChange } from '#web/browser/session.ts';
import { useUser, useAuthState } from '#web/api/user.ts';
import { livePatches } from '#web/app/livePatches.ts';
import { AccountTools } from '#web/app/layout/AccountMenu.tsx';
import { Frame } from '#web/app/layout/Frame.tsx';
import { UnreadCount, UnreadTitle } from '#web/app/layout/Unread.tsx';
import { unreadQuery } from '#web/features/messages/queries.ts';
import { supportNews, supportUnreadQuery } from '#web/features/support/unread.ts';
import { useIncoming } from '#web/features/messages/incoming/useIncoming.ts';
import { openOverlay } from '#web/app/palette/overlay.ts';
import { watchExports } from '#web/features/exports/notice/notice.ts';
import { Unreached } from '#web/app/layout/LostServer.tsx';
import { menu } from '#web/app/navigation/menu.ts';
import { NotFoundPage } from '#web/ui/page/NotFoundPage.tsx';
import { startWaiting } from '#web/app/layout/startWaiting.ts';
import { Saldo } from '#web/app/layout/Saldo.tsx';
import { isOperators } from '#web/app/routes/isOperators.ts';
import { useAuthRedirect } from '#web/app/routes/useAuthRedirect.ts';
import { useFirstScreen } from '#web/app/routes/useFirstScreen.ts';
import { BottomBar } from '#web/ui/layout/BottomBar.tsx';
import type { MenuEntry } from '#web/ui/layout/Sidebar.tsx';
import { Spinner } from '#web/ui/button/Spinner.tsx';

/** The operator's menu is loaded with the operator pages only. */
const OperatorShell = later(
  async () => (await import('#web/app/shells/OperatorShell.tsx')).OperatorShell,
);

const SuspendedShell = later(
  async () => (await import('#web/app/shells/SuspendedShell.tsx')).SuspendedShell,
);

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
  useEffect(() => startWaiting(client), [client]);
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
