import { queryOptions, useQueryClient } from '@tanstack/react-query';
import {
  getDelivery,
  listDeliveries,
  type DeliveryDetail,
  getWebhook,
  type Webhook,
} from '#contract/webhooks.ts';
import { perform } from '#web/api/act.ts';
import { listKey } from '#web/ui/table/list/useList.ts';

/** The poll interval of waiting deliveries: no event reports the outcome of attempts. */
export const LOOK_MS = 4_000;

export const webhookQuery = (tokenId: string) =>
  queryOptions({
    queryKey: ['webhooks', tokenId],
    queryFn: async ({ signal }): Promise<Webhook | null> =>
      (await perform(getWebhook, { token_id: tokenId }, { signal })).webhook,
  });

export const deliveryQuery = (tokenId: string, id: string) =>
  queryOptions({
    queryKey: ['webhooks', tokenId, id],
    queryFn: ({ signal }): Promise<DeliveryDetail> =>
      perform(getDelivery, { token_id: tokenId, delivery_id: id }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'waiting' ? LOOK_MS : false),
  });

/** Stores a changed webhook if given, and refetches it and its deliveries. */
export function useWebhookChanged(tokenId: string): (webhook?: Webhook | null) => void {
  const client = useQueryClient();
  return (webhook) => {
    const { queryKey } = webhookQuery(tokenId);
    if (webhook !== undefined) client.setQueryData(queryKey, webhook);
    void client.invalidateQueries({ queryKey });
    void client.invalidateQueries({ queryKey: listKey(listDeliveries) });
  };
}
