import { Refusal } from '#contract/base/refusals.ts';
import { WEBHOOK_LIMITS } from '#contract/webhooks/webhook.ts';
import type { TokenRef } from '#server/domains/webhooks/api.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import { hitOrNothing } from '#server/infra/acts/limits.ts';
import { semaphore } from '#server/infra/semaphore.ts';

const AT_ONCE = 32;
const WAITING_MAX = 64;
/** As long as a test may take. */
const WAIT_MS_MAX = WEBHOOK_LIMITS.timeoutSeconds * 1_000;

/** All tests of this process. */
const enter = semaphore(AT_ONCE, WAITING_MAX, { waitMs: WAIT_MS_MAX });

/** Tokens whose webhook is being tested by this process. */
const testing = new Set<string>();

/**
 * Tests an address, as often as that is allowed: one at a time for a token, `testsPerMinute` for an account on
 * all nodes, 32 at once from this process. An address is asked before anybody knows whose it is, so nobody
 * may have it asked as often as they like (docs/threats.md, T21).
 *
 * @throws Refusal `too_many_requests` while another test of the token is under way, and above the limit of the account;
 *   `busy` while too many tests of others are under way.
 */
export async function withinTestLimits<T>(
  { allAccountsSql }: Pick<WebhookDeps, 'allAccountsSql'>,
  { accountId, tokenId }: TokenRef,
  work: () => Promise<T>,
): Promise<T> {
  // 429 and not 503: the caller's own test is in the way, and the service has time.
  if (testing.has(tokenId))
    throw new Refusal('too_many_requests', { seconds: WEBHOOK_LIMITS.timeoutSeconds });
  testing.add(tokenId);
  try {
    const full = await hitOrNothing(allAccountsSql, [
      {
        scope: 'webhook_test',
        subject: accountId,
        max: WEBHOOK_LIMITS.testsPerMinute,
        windowSeconds: 60,
      },
    ]);
    if (full) throw new Refusal('too_many_requests', { seconds: full.seconds });
    return await enter(work);
  } finally {
    testing.delete(tokenId);
  }
}
