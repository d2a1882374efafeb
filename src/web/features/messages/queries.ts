import { queryOptions } from '@tanstack/react-query';
import { getMessage, unreadConversations } from '#contract/messages.ts';
import { listTokens, type Token } from '#contract/tokens.ts';
import { perform } from '#web/api/act.ts';
import { messageKey, unreadKey } from '#web/features/messages/queryKeys.ts';

/** What a waiting message waits for is reported by no event: it is asked for again this often. */
const WAITING_MS = 3_000;

/** One message with its timeline. */
export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: messageKey(id),
    queryFn: ({ signal }) => perform(getMessage, { message_id: id }, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'queued' || data?.status === 'sending' ? WAITING_MS : false,
  });

/** How many messages wait to be read, in all conversations. */
export const unreadQuery = queryOptions({
  queryKey: unreadKey,
  queryFn: ({ signal }) => perform(unreadConversations, {}, { signal }),
});

/** An account has a few dozen tokens at most; no more pages than this are read. */
const TOKEN_PAGES_MAX = 20;

/** All tokens of the account, for choosing one. */
export const allTokensQuery = queryOptions({
  queryKey: ['tokens', 'all'],
  queryFn: async ({ signal }): Promise<readonly Token[]> => {
    const page = (number: number) =>
      perform(listTokens, { page: number, start: number }, { signal });
    const first = await page(0);
    const pages = Math.min(TOKEN_PAGES_MAX, first.totalPages ?? 1);
    const others = await Promise.all(
      Array.from({ length: Math.max(0, pages - 1) }, (_, index) => page(index + 1)),
    );
    return [first, ...others].flatMap(({ rows }) => rows);
  },
});

/** True when messages can be sent from it: also while its phone is away, they wait for it. */
export const canSend = ({ status }: Pick<Token, 'status'>): boolean =>
  status === 'linked' || status === 'disconnected';
