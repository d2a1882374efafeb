import { useMemo } from 'react';
import { later } from '#web/browser/lazyComponent.ts';
import { usePath } from '#web/browser/router/Router.tsx';
import { useUser } from '#web/api/user.ts';
import { AccountTools } from '#web/app/layout/AccountMenu.tsx';
import { Frame } from '#web/app/layout/Frame.tsx';
import { operatorMenuFor } from '#web/app/navigation/operatorMenu.ts';
import { useSending } from '#web/app/layout/useSending.ts';
import { useIncoming } from '#web/features/messages/incoming/useIncoming.ts';
import { mayOpen, maySee } from '#web/features/operator/operator.ts';
import {
  InboxLive,
  inboxNews,
  inboxPatches,
  WaitingCount,
} from '#web/features/operator/support/live.tsx';
import { BottomBar } from '#web/ui/layout/BottomBar.tsx';
import { NotFoundPage } from '#web/ui/page/NotFoundPage.tsx';

const EnrolGate = later(() => import('#web/app/shells/EnrolGate.tsx'));

/**
 * The frame of the operator pages; the menu lists the pages of the user's roles. An operator without the required
 * second factor sees only its setup.
 */
export function OperatorShell() {
  const user = useUser();
  const { operator_roles: roles } = user;
  const answers = maySee({ roles: ['support'] }, roles);
  const menu = useMemo(
    () =>
      operatorMenuFor(roles).map((entry) =>
        'href' in entry && entry.href === '/operator/layanan'
          ? { ...entry, badge: <WaitingCount /> }
          : entry,
      ),
    [roles],
  );
  const place = usePath();
  if (user.needs_second_factor) return <EnrolGate />;
  if (place !== undefined && !mayOpen(place, roles)) return <NotFoundPage />;
  return (
    <Frame
      menu={menu}
      bottom={<BottomBar label="Menu bawah" menu={menu} more={<AccountTools />} />}
    >
      {answers && <Live />}
    </Frame>
  );
}

const followed = { patches: [inboxPatches], support: inboxNews, messages: false };

function Live() {
  useIncoming(useUser().id, followed);
  useSending('inbox');
  return <InboxLive />;
}
