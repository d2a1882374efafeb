import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { showCount } from '#web/browser/tab/tabTitle.ts';
import { countsQuery } from '#web/features/operator/support/queries.ts';
import { ShortCount } from '#web/ui/status/CountBadge.tsx';

/** How many customers wait for an answer, for the menu's badge; nothing when none do. */
export function WaitingCount() {
  const { data } = useQuery(countsQuery);
  return <ShortCount count={data?.waiting ?? 0} of="menunggu jawaban" />;
}

/** Says the same in the tab's title and on the app's icon; shows nothing itself. */
export function WaitingTitle() {
  const { data } = useQuery(countsQuery);
  const total = data?.waiting ?? 0;
  useEffect(() => showCount(total), [total]);
  useEffect(() => () => showCount(0), []);
  return null;
}
