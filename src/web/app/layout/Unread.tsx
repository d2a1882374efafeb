import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { showCount } from '#web/browser/tab/tabTitle.ts';
import { unreadQuery } from '#web/features/messages/queries.ts';
import { supportUnreadQuery } from '#web/features/support/unread.ts';
import { ShortCount } from '#web/ui/status/CountBadge.tsx';

type Counted = typeof unreadQuery | typeof supportUnreadQuery;

const useTotal = (query: Counted): number =>
  // Both give the same; their keys alone tell them apart.
  useQuery(query as typeof unreadQuery).data?.total ?? 0;

/** How much is unread, for the menu's badge; nothing when nothing is. */
export function UnreadCount({ query }: { query: Counted }) {
  return <ShortCount count={useTotal(query)} of="belum dibaca" />;
}

/** Says all of it in the tab's title and on the app's icon; shows nothing itself. */
export function UnreadTitle() {
  const total = useTotal(unreadQuery) + useTotal(supportUnreadQuery);
  useEffect(() => showCount(total), [total]);
  useEffect(() => () => showCount(0), []);
  return null;
}
