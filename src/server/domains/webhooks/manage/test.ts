import { randomInt } from 'node:crypto';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { TEST_EVENT } from '#contract/webhooks/events.ts';
import { addressRefused } from '#contract/webhooks/refusals.ts';
import {
  type WebhookFormat,
  type WebhookTest,
  WEBHOOK_LIMITS,
} from '#contract/webhooks/webhook.ts';
import { newId } from '#server/infra/ids.ts';
import { OutboundError } from '#server/infra/net/outbound.ts';
import type { TokenRef } from '#server/domains/webhooks/api.ts';
import {
  type PostResult,
  ask,
  isTaken,
  post,
  withAgent,
} from '#server/domains/webhooks/delivery/post.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import { formats } from '#server/domains/webhooks/formats/formats.ts';
import { hitOrNothing } from '#server/infra/acts/limits.ts';
import { semaphore } from '#server/infra/semaphore.ts';

/** Where a test goes, and how it is signed. */
export type Target = {
  token: TokenRef;
  url: string;
  format: WebhookFormat;
  /** The number that the token is linked to. */
  phone: string | null;
  /** Fields of the handshake. */
  verifyToken: string;
  secrets: readonly string[];
};

/** @throws Refusal `input_invalid` for an address that may not be asked, as far as its words say. */
export function checkUrl({ outbound }: Pick<WebhookDeps, 'outbound'>, url: string): void {
  try {
    outbound.check(url);
  } catch (error) {
    if (error instanceof OutboundError) throw refusedFor(isOwnMachine(url) ? 'local' : 'public');
    throw error;
  }
}

const refusedFor = (why: keyof typeof addressRefused) =>
  new Refusal('input_invalid', { fields: { url: addressRefused[why].id } });

const isOwnMachine = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(URL.parse(url)?.hostname ?? '');

/**
 * Asks the address now, by the handshake of its format or by a `webhook.test`, and says what came of it.
 *
 * @throws Refusal `busy`, `too_many_requests`
 */
export const sendTest = (deps: WebhookDeps, target: Target): Promise<WebhookTest> =>
  withinTestLimits(deps, target.token, () =>
    formats[target.format].hasHandshake ? shakeHands(deps, target) : sendTestEvent(deps, target),
  );

/** As Meta asks a new address: what it is told to say, it must say, and nothing else. */
async function shakeHands(
  deps: WebhookDeps,
  { url, verifyToken, secrets }: Target,
): Promise<WebhookTest> {
  const challenge = String(randomInt(1_000_000_000, 10_000_000_000));
  const asked = new URL(url);
  asked.searchParams.set('hub.mode', 'subscribe');
  asked.searchParams.set('hub.challenge', challenge);
  asked.searchParams.set('hub.verify_token', verifyToken);
  const result = await ask(deps, { url: asked.href, secrets });
  return testOf(result, isTaken(result) && result.answer === challenge);
}

async function sendTestEvent(deps: WebhookDeps, target: Target): Promise<WebhookTest> {
  const { token, url, format, phone, secrets } = target;
  const at = deps.now();
  const request = formats[format].build({
    id: publicId('delivery', newId()),
    at,
    secrets,
    context: { phone, metadata: {} },
    event: {
      type: TEST_EVENT,
      timestamp: at.toISOString(),
      data: {
        account: publicId('account', token.accountId),
        token: publicId('token', token.tokenId),
        message: 'Uji coba webhook dari Kabari.',
      },
    },
  });
  if (!request) throw new Error(`the format ${format} has no test`);
  const { body } = request;
  const result = await post(deps, { url, headers: withAgent(request.headers), body, secrets });
  return testOf(result, isTaken(result));
}

function testOf({ status, error, ms, answer }: PostResult, ok: boolean): WebhookTest {
  return { ok, status, error: error === 'interrupted' ? 'unreachable' : error, ms, answer };
}

/** Why a test confirmed nothing. */
export function unconfirmed({ status, error }: WebhookTest): Refusal {
  if (error === 'refused') return refusedFor('public');
  return new Refusal('webhook_unconfirmed', { status, why: error ?? whyNot(status ?? 0) });
}

/** Of a 2xx that confirms nothing the handshake's answer was another one. */
function whyNot(status: number): 'challenge' | 'redirect' | 'status' {
  if (status >= 300 && status < 400) return 'redirect';
  return isTaken({ status }) ? 'challenge' : 'status';
}

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
async function withinTestLimits<T>(
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
