import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { showCount } from '#web/browser/tab/tabTitle.ts';
import { unreadQuery } from '#web/features/messages/queries.ts';

/** How many messages are unread, for the menu's badge; nothing when none are. */
export function UnreadCount() {
  const { data } = useQuery(unreadQuery);
  if (!data || data.total === 0) return null;
  return (
    <>
      {data.total > 99 ? '99+' : formatNumber(data.total)}
      <span className="sr-only"> belum dibaca</span>
    </>
  );
}

/** Says the same in the tab's title and on the app's icon; shows nothing itself. */
export function UnreadTitle() {
  const { data } = useQuery(unreadQuery);
  const total = data?.total ?? 0;
  useEffect(() => showCount(total), [total]);
  useEffect(() => () => showCount(0), []);
  return null;
}
