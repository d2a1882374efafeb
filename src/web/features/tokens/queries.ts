import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { getToken, listTokens, type Token } from '#contract/tokens.ts';
import { perform } from '#web/api/act.ts';
import { subscriptionQuery } from '#web/features/billing/billing.ts';
import { listKey } from '#web/ui/table/list/useList.ts';

export const tokenQuery = (id: string) =>
  queryOptions({
    queryKey: ['tokens', id],
    queryFn: ({ signal }) => perform(getToken, { token_id: id }, { signal }),
  });

/** The account's tokens by name, for filters: the first ten. */
export const tokenNamesQuery = queryOptions({
  queryKey: ['tokens', 'names'],
  queryFn: async ({ signal }) => (await perform(listTokens, {}, { signal })).rows,
});

/** Stores a changed token wherever it is cached; without one, refetches all of them. */
export function useTokenChanged(): (token?: Token) => void {
  const client = useQueryClient();
  return (token) => {
    if (token) client.setQueryData(tokenQuery(token.id).queryKey, token);
    else void client.invalidateQueries({ queryKey: ['tokens'] });
    void client.invalidateQueries({ queryKey: listKey(listTokens) });
    void client.invalidateQueries({ queryKey: ['home'] });
    void client.invalidateQueries({ queryKey: subscriptionQuery.queryKey });
  };
}
