import type { WebhookOffReason } from '#contract/webhooks/webhook.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/** A token whose webhook needs its owner: it is off, but not by them, or it goes on failing. */
export type WebhookTrouble = {
  token_id: string;
  why: Exclude<WebhookOffReason, 'owner'> | 'erring';
};

/** A server that is started anew is back before that. */
const ERRING_MINUTES = 15;

/** The webhooks of an account that need attention, by their tokens; one that its owner switched off does not. */
export function webhookTroubles(
  tx: Tx,
  accountId: string,
  now: Date,
): Promise<readonly WebhookTrouble[]> {
  return tx<WebhookTrouble[]>`
    select token_id, coalesce(off_reason, 'erring') as why from webhooks
    where account_id = ${accountId} and off_reason is distinct from 'owner'
      and (state = 'off'
        or failing_since <= ${now}::timestamptz - make_interval(mins => ${ERRING_MINUTES})
        or paused_until > ${now})`;
}
