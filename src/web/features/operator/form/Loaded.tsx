import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sentenceOf } from '#web/api/errors.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { useSkeleton } from '#web/ui/skeleton/useSkeleton.ts';

type Props<T> = { query: UseQueryResult<T>; lines?: number; children: (data: T) => ReactNode };

export function Loaded<T>({ query, lines = 6, children }: Props<T>) {
  const waiting = useSkeleton(query.isPending);
  if (query.data !== undefined && !waiting) return children(query.data);
  if (query.isError) {
    return <WentWrong message={sentenceOf(query.error)} onRetry={() => void query.refetch()} />;
  }
  return <div aria-busy="true">{waiting && <Skeleton lines={lines} height="1.4em" />}</div>;
}
