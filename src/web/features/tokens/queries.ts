import { useQueryClient } from '@tanstack/react-query';
import { listTokens, type Token } from '#contract/tokens.ts';
import { tokenQuery } from '#web/api/allTokens.ts';
import { subscriptionQuery } from '#web/features/billing/billing.ts';
import { listKey } from '#web/ui/table/list/useList.ts';

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
