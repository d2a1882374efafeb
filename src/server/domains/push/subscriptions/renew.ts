import type { InputOf } from '#contract/base/act.ts';
import { renewPush } from '#contract/push.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { standing } from '#server/domains/accounts/accounts.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { PushDeps } from '#server/domains/push/deps.ts';
import { admitted } from './register.ts';
import { findByToken, forget, keep } from './subscriptions.ts';

export const renewPushHandler = (deps: PushDeps): ActHandler =>
  handle(renewPush, (_call, input) => renew(deps, input));

/**
 * The browser's subscription has changed: its old token, 256 bits of chance, proves whose it is.
 *
 * @throws Refusal `not_found` when the token is nobody's, or its person has left that browser.
 */
async function renew(
  { allAccountsSql, config, secrets, vapid }: PushDeps,
  { old, vapid_key: key, ...subscription }: InputOf<typeof renewPush>,
): Promise<{ token: string }> {
  const service = admitted({ config, vapid }, key, subscription);
  return allAccountsSql.begin(async (tx) => {
    const before = await findByToken(tx, secrets, old);
    const [session] = await tx`
      select 1 from sessions join accounts a on a.account_id = sessions.account_id
      where session_id = ${before?.sessionId ?? null} and a.status = 'active'
        and ${standing(allAccountsSql)}`;
    if (!before || !session) {
      throw new Refusal('not_found', { what: 'Langganan pemberitahuan' });
    }
    await forget(tx, before.id);
    return { token: await keep(tx, secrets, before, { service, subscription }) };
  });
}
