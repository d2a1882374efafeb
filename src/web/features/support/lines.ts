import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { SupportMessage } from '#contract/support.ts';
import { merged, readNewest, readOlder, type Flat, type Source } from '#web/api/lists/flatList.ts';
import type { SupportPort } from '#web/features/support/port.ts';

/** The messages of one thread; live events update every key that begins with `support`. */
export const linesKey = (thread: string) => ['support', 'lines', thread] as const;

type Lines = Pick<SupportPort, 'key' | 'messages'>;

const order = {
  keyOf: ({ id }: SupportMessage) => id,
  order: (a: SupportMessage, b: SupportMessage) => b.seq - a.seq,
};

const source = (port: Lines, signal?: AbortSignal): Source<SupportMessage> => ({
  ...order,
  page: (start) => port.messages(start, signal),
});

const known = (client: QueryClient, thread: string) => () =>
  client.getQueryData<Flat<SupportMessage>>(linesKey(thread));

export const linesQuery = (port: Lines) =>
  queryOptions({
    queryKey: linesKey(port.key),
    queryFn: ({ client, signal }) => readNewest(source(port, signal), known(client, port.key)),
  });

/** Reads the next older messages into the cache, at the offset from the earlier pages' counts. */
export async function readOlderLines(client: QueryClient, port: Lines): Promise<void> {
  const longer = await readOlder(source(port), known(client, port.key));
  if (longer) client.setQueryData(linesKey(port.key), longer);
}

export function addLine(client: QueryClient, thread: string, line: SupportMessage): void {
  client.setQueryData<Flat<SupportMessage>>(
    linesKey(thread),
    (old) => old && { ...old, rows: merged(old.rows, [line], order) },
  );
  void client.invalidateQueries({ queryKey: ['support'] });
}
