import { keyIsAbout, type CacheChanges, type LivePatches } from '#web/live/patches.ts';

const webhooks = keyIsAbout('webhooks', 'webhook_');
const refetchWebhooks = (_event: unknown, { refetch }: CacheChanges) => refetch(webhooks);

/** Updates webhooks and their deliveries: nearly every event is delivered. */
export const webhookPatches: LivePatches = {
  follows: webhooks,
  on: {
    'webhook.changed': refetchWebhooks,
    'message.accepted': refetchWebhooks,
    'message.changed': refetchWebhooks,
    'message.received': refetchWebhooks,
    'message.edited': refetchWebhooks,
    'message.revoked': refetchWebhooks,
    'optout.added': refetchWebhooks,
    'token.changed': refetchWebhooks,
    'topup.changed': refetchWebhooks,
    'invoice.changed': refetchWebhooks,
  },
};
