import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { PAGE_SIZE } from '#contract/base/act.ts';
import type { ConversationMessage } from '#contract/messages.ts';
import { merged, readOlder, type Flat } from '#web/api/lists/flatList.ts';
import {
  threadOrder,
  threadPage,
  threadQuery,
  type Which,
} from '#web/features/messages/conversations/queries.ts';
import { threadKey } from '#web/features/messages/queryKeys.ts';

type Part = Flat<ConversationMessage>;

const partKey = ({ tokenId, peer }: Which, from: string) => [...threadKey(tokenId, peer), from];

/** A part of a thread around a message or a moment, newest first: twenty messages on each side. */
export const aroundQuery = (which: Which, from: string) => {
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

export const reaches = ({ rows, ended }: Part, from: string): boolean =>
  ended || (rows.at(-1)?.id ?? '') < from;

const meets = (part: Part, newest: Part): boolean =>
  (part.rows[0]?.id ?? '') >= (newest.rows.at(-1)?.id ?? '');

/** Joins a part with the newest messages, if there is no gap between them. */
export function join(client: QueryClient, which: Which, from: string): void {
  const part = client.getQueryData<Part>(partKey(which, from));
  client.setQueryData(threadQuery(which).queryKey, (newest) =>
    newest && part && !reaches(newest, from) && meets(part, newest)
      ? { ...newest, rows: merged(newest.rows, part.rows, threadOrder), ended: part.ended }
      : newest,
  );
}

export async function readOlderAround(
  client: QueryClient,
  which: Which,
  from: string,
): Promise<void> {
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
export async function readNewerAround(
  client: QueryClient,
  which: Which,
  from: string,
): Promise<void> {
  const key = partKey(which, from);
  const last = client.getQueryData<Part>(key)?.rows[0]?.id ?? from;
  const page = await threadPage(which, { bounds: { from: last } });
  client.setQueryData<Part>(
    key,
    (part) => part && { ...part, rows: merged(part.rows, page.rows, threadOrder) },
  );
}
