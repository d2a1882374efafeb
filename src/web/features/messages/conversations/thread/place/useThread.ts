import { useQuery, useQueryClient, queryOptions, type QueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { ConversationMessage } from '#contract/messages.ts';
import { type Flat, merged, readOlder } from '#web/api/lists/flatList.ts';
import {
  readOlderMessages,
  threadQuery,
  type Which,
  threadOrder,
  threadPage,
} from '#web/features/messages/conversations/queries.ts';
import type { Place } from '#web/features/messages/conversations/thread/place/place.ts';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { threadKey } from '#web/features/messages/queryKeys.ts';

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

type Part = Flat<ConversationMessage>;

const partKey = ({ tokenId, peer }: Which, from: string) => [...threadKey(tokenId, peer), from];

/** A part of a thread around a message or a moment, newest first: twenty messages on each side. */
const aroundQuery = (which: Which, from: string) => {
  const queryKey = partKey(which, from);
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<Part> => {
      const ways = [{ from }, { before: from }] as const;
      const read = ways.map((bounds) =>
        Promise.all([0, PAGE_SIZE].map((start) => threadPage(which, { start, bounds, signal }))),
      );
      const [newer = [], older = []] = await Promise.all(read);
      const loaded = [...newer, ...older].flatMap(({ rows }) => rows);
      // Rows loaded meanwhile are kept: all lie around the same place.
      const known = client.getQueryData<Part>(queryKey);
      return {
        rows: merged(known?.rows ?? [], loaded, threadOrder),
        ended: known?.ended || older.some(({ count }) => count < PAGE_SIZE),
        readAt: Date.now(),
      };
    },
    structuralSharing: false,
  });
};

const reaches = ({ rows, ended }: Part, from: string): boolean =>
  ended || (rows.at(-1)?.id ?? '') < from;

const meets = (part: Part, newest: Part): boolean =>
  (part.rows[0]?.id ?? '') >= (newest.rows.at(-1)?.id ?? '');

/** Joins a part with the newest messages, if there is no gap between them. */
function join(client: QueryClient, which: Which, from: string): void {
  const part = client.getQueryData<Part>(partKey(which, from));
  client.setQueryData(threadQuery(which).queryKey, (newest) =>
    newest && part && !reaches(newest, from) && meets(part, newest)
      ? { ...newest, rows: merged(newest.rows, part.rows, threadOrder), ended: part.ended }
      : newest,
  );
}

async function readOlderAround(client: QueryClient, which: Which, from: string): Promise<void> {
  const source = {
    ...threadOrder,
    page: (start: number) => threadPage(which, { start, bounds: { before: from } }),
    behind: ({ id }: ConversationMessage) => threadPage(which, { bounds: { before: id } }),
  };
  const key = partKey(which, from);
  const longer = await readOlder(source, () => client.getQueryData<Part>(key));
  if (longer) client.setQueryData(key, longer);
}

/** Reads the next newer messages of a part into the cache; the first of them is already known. */
async function readNewerAround(client: QueryClient, which: Which, from: string): Promise<void> {
  const key = partKey(which, from);
  const last = client.getQueryData<Part>(key)?.rows[0]?.id ?? from;
  const page = await threadPage(which, { bounds: { from: last } });
  client.setQueryData<Part>(
    key,
    (part) => part && { ...part, rows: merged(part.rows, page.rows, threadOrder) },
  );
}
