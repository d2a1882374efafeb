import { type Webhook, isVerifyToken } from '#contract/webhooks/webhook.ts';
import type { ApiSender } from '#server/http/access.ts';
import { CloudRefusal } from './errors.ts';
import { ownBusiness } from './numbers.ts';
import { phrases } from './read/phrases.ts';
import type { CloudCall, CloudRoute } from './route.ts';
import { at, textAt } from '#server/infra/net/json-values.ts';

/** Access of these calls to the webhook of a key's token. */
export type SubscriptionDeps = {
  webhook: {
    read: (sender: ApiSender) => Promise<Webhook | null>;
    /**
     * Sets it, in the format `cloud`.
     *
     * @throws Refusal `input_invalid`, `webhook_unconfirmed`, `busy`, `too_many_requests`
     */
    subscribe: (sender: ApiSender, fields: { url: string; verify_token: string }) => Promise<void>;
    setOn: (sender: ApiSender, on: boolean) => Promise<Webhook>;
  };
};

const PATH = '/subscribed_apps';

/**
 * `/{account-id}/subscribed_apps`: with an address of its own and a word for the handshake it sets the webhook of the
 * key's token, in the format `cloud`; without, it does nothing.
 */
export const subscriptionRoutes = ({ webhook }: SubscriptionDeps): readonly CloudRoute[] => [
  {
    method: 'GET',
    path: PATH,
    scope: 'account.read',
    handler: async (call) => {
      ownBusiness(call);
      const found = await webhook.read(call.sender);
      return { data: isSubscribed(found) ? [appOf(call, found)] : [] };
    },
  },
  {
    method: 'POST',
    path: PATH,
    scope: (call) => (givesCallback(call) ? 'webhooks' : 'account.read'),
    handler: async (call) => {
      ownBusiness(call);
      if (givesCallback(call)) await subscribe(webhook, call);
      return { success: true };
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    scope: 'webhooks',
    handler: async (call) => {
      ownBusiness(call);
      if (isSubscribed(await webhook.read(call.sender))) await webhook.setOn(call.sender, false);
      return { success: true };
    },
  },
];

const isSubscribed = (webhook: Webhook | null): webhook is Webhook =>
  webhook?.format === 'cloud' && webhook.state === 'on';

const appOf = ({ businessId, reader }: CloudCall, { url }: Webhook) => ({
  whatsapp_business_api_data: { id: businessId, name: 'Kabari', link: reader.origin },
  override_callback_uri: url,
});

const names = ['override_callback_uri', 'verify_token'] as const;

/** Clients give these in the body, some of them in the address. */
const givenAs = ({ request }: Pick<CloudCall, 'request'>, name: string): unknown =>
  at(request.body, name) ?? at(request.query, name);

const givesCallback = (call: Pick<CloudCall, 'request'>): boolean =>
  names.some((name) => givenAs(call, name) !== undefined);

/** @throws CloudRefusal, Refusal `webhook_unconfirmed` where the address does not answer the handshake */
async function subscribe(webhook: SubscriptionDeps['webhook'], call: CloudCall): Promise<void> {
  const [url, verifyToken] = names.map((name) => textAt({ value: givenAs(call, name) }, 'value'));
  if (url === undefined || verifyToken === undefined || !isVerifyToken(verifyToken)) {
    const [name] = url === undefined ? names : names.slice(1);
    throw new CloudRefusal(100, { [name ?? '']: phrases.callback[call.reader.language] });
  }
  await webhook.subscribe(call.sender, { url, verify_token: verifyToken });
}
