import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  type ShownBroadcast,
  closeBroadcast,
  listBroadcasts,
} from '#contract/operator/broadcasts.ts';
import { perform } from '#web/api/act.ts';
import { useAct } from '#web/api/query.ts';
import { BroadcastNotice } from '#web/features/broadcasts/BroadcastNotice.tsx';

/** The operators' broadcasts. @param name names the set of broadcasts to show */
export function BroadcastBanner({ name }: { name: string }) {
  const { data } = useQuery({
    queryKey: ['broadcasts', name],
    queryFn: ({ signal }) => perform(listBroadcasts, {}, { signal }),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  const [closed, setClosed] = useState<readonly string[]>([]);
  const close = useAct(closeBroadcast);
  const shown = useUnended(data?.broadcasts ?? []).filter(({ id }) => !id || !closed.includes(id));
  if (shown.length === 0) return null;
  const onClose = async (id: string) => {
    setClosed((before) => [...before, id]);
    try {
      await close.perform({ broadcast_id: id });
    } catch {
      // It is not closed on the other devices, so it is shown here again.
      setClosed((before) => before.filter((one) => one !== id));
    }
  };
  return (
    <div className="stack gap-8 mb-20">
      {shown.map(({ id, ...words }) => (
        <BroadcastNotice
          key={id ?? 'maintenance'}
          {...words}
          onClose={id === null ? undefined : () => void onClose(id)}
        />
      ))}
    </div>
  );
}

const TIMER_MS_MAX = 2_000_000_000;

/** Broadcasts that have not ended; re-evaluated when the next one ends. */
function useUnended(all: readonly ShownBroadcast[]): readonly ShownBroadcast[] {
  const [now, setNow] = useState(Date.now);
  const left = all.filter(({ until }) => until === null || until.getTime() > now);
  const next = Math.min(...left.map(({ until }) => until?.getTime() ?? Infinity));
  useEffect(() => {
    if (next === Infinity) return undefined;
    const ms = Math.min(TIMER_MS_MAX, Math.max(0, next - Date.now()));
    const timer = setTimeout(() => setNow(Date.now()), ms);
    return () => clearTimeout(timer);
  }, [next, now]);
  return left;
}
