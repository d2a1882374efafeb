import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { ConversationMessage } from '#contract/messages.ts';
import type { Flat } from '#web/api/lists/flatList.ts';
import {
  readOlderMessages,
  threadQuery,
  type Which,
} from '#web/features/messages/conversations/queries.ts';
import {
  aroundQuery,
  join,
  reaches,
  readNewerAround,
  readOlderAround,
} from '#web/features/messages/conversations/thread/place/around.ts';
import type { Place } from '#web/features/messages/conversations/thread/place/place.ts';

export type ShownThread = {
  list: Flat<ConversationMessage>;
  place: Place | undefined;
  readOlder: () => Promise<void>;
  newer: { read: () => Promise<void>; leave: () => void } | undefined;
};

/**
 * The messages of a thread: the newest ones, or a part around an older place. A part that reaches the newest messages
 * becomes one list with them.
 *
 * @param leave goes to the newest messages.
 */
export function useThread(which: Which, place: Place | undefined, leave: () => void) {
  const client = useQueryClient();
  const newest = useQuery(threadQuery(which));
  const from = place?.from ?? '';
  const isApart = place !== undefined && !(newest.data && reaches(newest.data, from));
  const around = useQuery({ ...aroundQuery(which, from), enabled: isApart });
  const [list, part] = [newest.data, isApart ? around.data : undefined];
  useEffect(() => {
    if (part && list) join(client, which, from);
  }, [client, which, from, part, list]);
  const shown = useMemo((): ShownThread | undefined => {
    if (!isApart) {
      return (
        list && { list, place, readOlder: () => readOlderMessages(client, which), newer: undefined }
      );
    }
    // Wait for the join: a short conversation is complete at once.
    if (!list || !part) return undefined;
    return {
      list: part,
      place,
      readOlder: () => readOlderAround(client, which, from),
      newer: { read: () => readNewerAround(client, which, from), leave },
    };
  }, [client, which, place, from, isApart, list, part, leave]);
  const failed = isApart && !newest.error ? around : newest;
  return { newest: list, shown, error: failed.error, retry: () => void failed.refetch() };
}
