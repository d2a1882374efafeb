import { testPush } from '#contract/push.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { PushDeps } from '#server/domains/push/deps.ts';
import { deliver } from './deliver.ts';
import { testPayload } from './payload.ts';
import { endSubscription, findByToken } from '#server/domains/push/subscriptions/subscriptions.ts';

/** Short, because a person waits for the answer. */
const TRY_MS = 8_000;
const TTL_SECONDS = 60;

/** Sends a notice now, without the queue, so that the answer says whether it left. */
export const testPushHandler = (deps: PushDeps): ActHandler =>
  handle(testPush, async ({ caller }, { push_token: token }) => {
    const { allAccountsSql, secrets, config, onOutcome } = deps;
    const found = await allAccountsSql.begin((tx) => findByToken(tx, secrets, token));
    const isTheirs = found?.accountId === caller.accountId && found.userId === caller.userId;
    if (!isTheirs || !found.subscription) throw new Refusal('push_gone', {});
    const { outcome } = await deliver(deps, found.subscription, testPayload(config.PUBLIC_URL), {
      ttlSeconds: TTL_SECONDS,
      totalMs: TRY_MS,
    });
    onOutcome(outcome);
    if (outcome === 'gone') {
      await endSubscription(allAccountsSql, found.id);
      throw new Refusal('push_gone', {});
    }
    if (outcome !== 'taken') throw new Refusal('push_service_down', {});
    return {};
  });
