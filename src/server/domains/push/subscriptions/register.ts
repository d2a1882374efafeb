import type { InputOf } from '#contract/base/act.ts';
import { pushConfig, registerPush, unregisterPush } from '#contract/push.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import type { PushDeps } from '#server/domains/push/deps.ts';
import { serviceOf } from './services.ts';
import {
  type Owner,
  type Subscription,
  areKeys,
  findByToken,
  forget,
  keep,
  refresh,
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
 * The browser is this person's from now on: under its old token when nothing about it has changed,
 * else under a new one, and the old one is gone.
 */
async function register(
  { allAccountsSql, config, secrets, vapid }: PushDeps,
  caller: Owner,
  { old, vapid_key: key, ...subscription }: InputOf<typeof registerPush>,
): Promise<{ token: string }> {
  const service = admitted({ config, vapid }, key, subscription);
  return allAccountsSql.begin(async (tx) => {
    const before = old === undefined ? undefined : await findByToken(tx, secrets, old);
    if (before && old !== undefined && isUnchanged(before, caller, subscription)) {
      await refresh(tx, before.id, caller.sessionId);
      return { token: old };
    }
    if (before) await forget(tx, before.id);
    return { token: await keep(tx, secrets, caller, { service, subscription }) };
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

const bare = (key: string): string => key.replace(/=+$/, '');

/**
 * The push service of a subscription that we can post to.
 *
 * @throws Refusal `push_service_unknown`, `push_key_old`, `input_invalid` for keys that are none.
 */
export function admitted(
  { config, vapid }: Pick<PushDeps, 'config' | 'vapid'>,
  key: string,
  subscription: Subscription,
): string {
  const service = serviceOf(subscription.endpoint, config.PUSH_SERVICES);
  if (service === undefined) throw new Refusal('push_service_unknown', {});
  if (bare(key) !== vapid.publicKey) throw new Refusal('push_key_old', {});
  if (!areKeys(subscription)) {
    throw new Refusal('input_invalid', { fields: { p256dh: 'Kunci langganan tidak dikenali.' } });
  }
  return service;
}
