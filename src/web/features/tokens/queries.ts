import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { getToken, listTokens, type Token } from '#contract/tokens.ts';
import { perform } from '#web/api/act.ts';
import { subscriptionQuery } from '#web/features/billing/billing.ts';
import { listKey } from '#web/ui/table/list/useList.ts';

/** One token, as its details show it. */
export const tokenQuery = (id: string) =>
  queryOptions({
    queryKey: ['tokens', id],
    queryFn: ({ signal }) => perform(getToken, { token_id: id }, { signal }),
  });

/** The account's tokens by name, as filters offer them: the first ten. */
export const tokenNamesQuery = queryOptions({
  queryKey: ['tokens', 'names'],
  queryFn: async ({ signal }) => (await perform(listTokens, {}, { signal })).rows,
});

/** Shows a token as it now stands wherever it is shown; without one, asks for all of them again. */
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
