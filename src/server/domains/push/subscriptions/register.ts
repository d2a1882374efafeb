import type { InputOf } from '#contract/base/act.ts';
import { pushConfig, registerPush, unregisterPush } from '#contract/push.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import type { PushDeps } from '#server/domains/push/deps.ts';
import {
  type Owner,
  type Subscription,
  areKeys,
  findByToken,
  deleteSubscription,
  storeSubscription,
  refreshSubscription,
} from './subscriptions.ts';

export const pushConfigHandler = ({ vapid }: PushDeps): ActHandler =>
  handle(pushConfig, async () => ({ vapid_key: vapid.publicKey }));

export const registerPushHandler = (deps: PushDeps): ActHandler =>
  handle(registerPush, ({ caller }, input) => register(deps, caller, input));

export const unregisterPushHandler = ({ allAccountsSql }: PushDeps): ActHandler =>
  handle(unregisterPush, async ({ caller }, { push_token: token }) => {
    await allAccountsSql`
      delete from push_subscriptions where token_hash = ${sha256(token)}
        and (account_id, user_id) = (${caller.accountId}, ${caller.userId})`;
    return {};
  });

/**
 * Binds the browser to this person: under its old token when nothing about it has changed, else under a
 * new one that replaces it.
 */
async function register(
  { allAccountsSql, config, secrets, vapid }: PushDeps,
  caller: Owner,
  { old, vapid_key: key, ...subscription }: InputOf<typeof registerPush>,
): Promise<{ token: string }> {
  const service = validateSubscription({ config, vapid }, key, subscription);
  return allAccountsSql.begin(async (tx) => {
    const before = old === undefined ? undefined : await findByToken(tx, secrets, old);
    if (before && old !== undefined && isUnchanged(before, caller, subscription)) {
      await refreshSubscription(tx, before.id, caller.sessionId);
      return { token: old };
    }
    if (before) await deleteSubscription(tx, before.id);
    return { token: await storeSubscription(tx, secrets, caller, { service, subscription }) };
  });
}

function isUnchanged(
  before: Owner & { subscription: Subscription | undefined },
  { accountId, userId }: Owner,
  { endpoint, p256dh, auth }: Subscription,
): boolean {
  const known = before.subscription;
  return (
    before.accountId === accountId &&
    before.userId === userId &&
    known?.endpoint === endpoint &&
    known.p256dh === p256dh &&
    known.auth === auth
  );
}

const withoutPadding = (key: string): string => key.replace(/=+$/, '');

/**
 * Validates a subscription and returns its push service.
 *
 * @throws Refusal `push_service_unknown`, `push_key_old`, `input_invalid` for keys that are none.
 */
export function validateSubscription(
  { config, vapid }: Pick<PushDeps, 'config' | 'vapid'>,
  key: string,
  subscription: Subscription,
): string {
  const service = serviceOf(subscription.endpoint, config.PUSH_SERVICES);
  if (service === undefined) throw new Refusal('push_service_unknown', {});
  if (withoutPadding(key) !== vapid.publicKey) throw new Refusal('push_key_old', {});
  if (!areKeys(subscription)) {
    throw new Refusal('input_invalid', { fields: { p256dh: 'Kunci langganan tidak dikenali.' } });
  }
  return service;
}

/** The push services of all browsers; `*.` stands for one or more labels. */
const services = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.notify.windows.com',
  '*.push.apple.com',
];

const ENDPOINT_MAX = 2_000;

/**
 * The push service of an endpoint: one of the known ones, over https, or an origin of PUSH_SERVICES.
 *
 * @returns its name for the log; `undefined` for unknown addresses.
 */
export function serviceOf(endpoint: string, listed: readonly string[]): string | undefined {
  if (endpoint.length > ENDPOINT_MAX || !URL.canParse(endpoint)) return undefined;
  const { origin, protocol, hostname, port, username, password } = new URL(endpoint);
  if (username !== '' || password !== '') return undefined;
  if (listed.includes(origin)) return origin;
  if (protocol !== 'https:' || port !== '') return undefined;
  return services.find((name) =>
    name.startsWith('*.')
      ? hostname.endsWith(name.slice(1)) && hostname.length >= name.length
      : hostname === name,
  );
}
