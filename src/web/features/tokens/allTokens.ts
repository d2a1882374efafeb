import { queryOptions } from '@tanstack/react-query';
import { listTokens, type Token } from '#contract/tokens.ts';
import { perform } from '#web/api/act.ts';

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
