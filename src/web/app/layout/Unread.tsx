import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { showCount } from '#web/browser/tab/tabTitle.ts';
import { unreadQuery } from '#web/features/messages/queries.ts';
import { supportUnreadQuery } from '#web/features/support/unread.ts';
import { ShortCount } from '#web/ui/status/CountBadge.tsx';

type Counted = typeof unreadQuery | typeof supportUnreadQuery;

const useTotal = (query: Counted): number =>
  // Both have the same type; only their keys differ.
  useQuery(query as typeof unreadQuery).data?.total ?? 0;

/** The unread count for the menu's badge; empty at 0. */
export function UnreadCount({ query }: { query: Counted }) {
  return <ShortCount count={useTotal(query)} of="belum dibaca" />;
}

/** Shows the total in the tab's title and on the app's icon; renders nothing. */
export function UnreadTitle() {
  const total = useTotal(unreadQuery) + useTotal(supportUnreadQuery);
  useEffect(() => showCount(total), [total]);
  useEffect(() => () => showCount(0), []);
  return null;
}
