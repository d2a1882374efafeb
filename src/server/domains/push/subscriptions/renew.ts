import type { InputOf } from '#contract/base/act.ts';
import { renewPush } from '#contract/push.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { isActiveSession } from '#server/domains/accounts/accounts.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { PushDeps } from '#server/domains/push/deps.ts';
import { validateSubscription } from './register.ts';
import { findByToken, deleteSubscription, storeSubscription } from './subscriptions.ts';

export const renewPushHandler = (deps: PushDeps): ActHandler =>
  handle(renewPush, (_call, input) => renew(deps, input));

/**
 * The browser's subscription has changed: its old token, 256 random bits, authenticates it.
 *
 * @throws Refusal `not_found` when the token is unknown, or its session is not active.
 */
async function renew(
  { allAccountsSql, config, secrets, vapid }: PushDeps,
  { old, vapid_key: key, ...subscription }: InputOf<typeof renewPush>,
): Promise<{ token: string }> {
  const service = validateSubscription({ config, vapid }, key, subscription);
  return allAccountsSql.begin(async (tx) => {
    const before = await findByToken(tx, secrets, old);
    const [session] = await tx`
      select 1 from sessions join accounts a on a.account_id = sessions.account_id
      where session_id = ${before?.sessionId ?? null} and a.status = 'active'
        and ${isActiveSession(allAccountsSql)}`;
    if (!before || !session) {
      throw new Refusal('not_found', { what: 'Langganan pemberitahuan' });
    }
    await deleteSubscription(tx, before.id);
    return { token: await storeSubscription(tx, secrets, before, { service, subscription }) };
  });
}
