import { queryOptions, useQuery } from '@tanstack/react-query';
import { getToken, listTokens, type Token } from '#contract/tokens.ts';
import { perform } from '#web/api/act.ts';
import { allPages } from '#web/api/lists/allPages.ts';

/** An account has a few dozen tokens at most; no more pages than this are read. */
const TOKEN_PAGES_MAX = 20;

export const allTokensQuery = queryOptions({
  queryKey: ['tokens', 'all'],
  queryFn: ({ signal }): Promise<readonly Token[]> =>
    allPages((page) => perform(listTokens, { page, start: page }, { signal }), TOKEN_PAGES_MAX),
});

export const tokenQuery = (id: string) =>
  queryOptions({
    queryKey: ['tokens', id],
    queryFn: ({ signal }) => perform(getToken, { token_id: id }, { signal }),
  });

/** False once the account's tokens are loaded and it is not one of them: it was deleted, and its page with it. */
export const hasToken = (tokens: readonly Token[] | undefined, tokenId: string): boolean =>
  tokens?.some(({ id }) => id === tokenId) ?? true;

export const useHasToken = (tokenId: string): boolean =>
  hasToken(useQuery(allTokensQuery).data, tokenId);
