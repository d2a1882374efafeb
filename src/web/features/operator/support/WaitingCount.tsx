import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { showCount } from '#web/browser/tab/tabTitle.ts';
import { countsQuery } from '#web/features/operator/support/queries.ts';
import { ShortCount } from '#web/ui/status/CountBadge.tsx';

/** The number of waiting customers, for the menu's badge; renders nothing for none. */
export function WaitingCount() {
  const { data } = useQuery(countsQuery);
  return <ShortCount count={data?.waiting ?? 0} of="menunggu jawaban" />;
}

/** Shows the same in the tab's title and on the app's icon; renders nothing. */
export function WaitingTitle() {
  const { data } = useQuery(countsQuery);
  const total = data?.waiting ?? 0;
  useEffect(() => showCount(total), [total]);
  useEffect(() => () => showCount(0), []);
  return null;
}
