import type { PushPayload } from '#contract/push.ts';
import { isTransient } from '#server/infra/postgres/database.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import { Settings } from '#server/domains/accounts/accounts.ts';
import { type DeliveryResult, deliver } from './deliver.ts';
import type { PushDeps } from '#server/domains/push/deps.ts';
import { noticePayload, payloadOf } from './payload.ts';
import {
  type Due,
  claimDue,
  dropSuperseded,
  finish,
  postpone,
  retryPostponed,
  retryWithoutText,
} from './queue.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import {
  deleteSubscription,
  endSubscription,
  unsealSubscription,
} from '#server/domains/push/subscriptions/subscriptions.ts';

/** Notices in flight at once. */
const IN_FLIGHT_MAX = 8;
/** How often the queue is polled without a wake-up. */
const POLL_MS = 1_000;
const CLEANUP_MS = 5_000;
/** When closing, notices in flight may take so long; the rest is sent again later. */
const FINISH_MS = 3_000;
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 300_000;
const TOPIC_LENGTH = 32;

/** Sends the notices that wait; any number of these may run. */
export type PushSender = {
  /** There may be something to send: poll now. */
  wake: () => void;
  /** Sends what is due now, and waits until that is done. */
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

/** Starts sending. @param circuitBreaker passed by tests that inspect it. */
export function startPushSender(
  deps: PushDeps,
  circuitBreaker: CircuitBreaker = createCircuitBreaker(),
): PushSender {
  const inFlight = new Set<Promise<void>>();
  const closing = new AbortController();
  let polling: Promise<void> | undefined;
  let pollAgain = false;
  let closed = false;
  let cleanedAtMs = -Infinity;

  const send = (due: Due) => {
    circuitBreaker.started(due.service);
    let failed = false;
    const work = sendOne(deps, due, closing.signal)
      .then((result) => {
        failed = result?.outcome === 'later';
      })
      .catch(reportError)
      .then(() => circuitBreaker.finished(due.service, failed))
      .then((hasRecovered) =>
        hasRecovered ? retryPostponed(deps.allAccountsSql, due.service) : undefined,
      )
      .catch(reportError)
      .finally(() => {
        inFlight.delete(work);
        wake();
      });
    inFlight.add(work);
  };
  const reportError = (error: unknown) => void (isTransient(error) || deps.report(error));
  const poll = async () => {
    if (performance.now() - cleanedAtMs > CLEANUP_MS) {
      cleanedAtMs = performance.now();
      await dropSuperseded(deps.allAccountsSql);
    }
    while (!closed && inFlight.size < IN_FLIGHT_MAX) {
      const due = await claimDue(deps.allAccountsSql, circuitBreaker.blocked());
      if (!due) return;
      send(due);
    }
  };
  const wake = () => {
    if (closed) return;
    pollAgain = polling !== undefined;
    polling ??= poll()
      .catch(reportError)
      .finally(() => {
        polling = undefined;
        if (pollAgain) wake();
      });
  };
  const drain = async () => {
    wake();
    while (polling !== undefined || inFlight.size > 0) await Promise.all([polling, ...inFlight]);
  };
  const timer = setInterval(wake, POLL_MS);
  return {
    wake,
    drain,
    close: async () => {
      closed = true;
      clearInterval(timer);
      const deadline = setTimeout(() => closing.abort(), FINISH_MS);
      await polling;
      await Promise.all(inFlight);
      clearTimeout(deadline);
    },
  };
}

/** Sends one notice, when its session is still active and its person wants it. */
async function sendOne(
  deps: PushDeps,
  due: Due,
  signal: AbortSignal,
): Promise<DeliveryResult | undefined> {
  const { allAccountsSql, secrets, onOutcome } = deps;
  // Queued while the service said that the browser is gone.
  if (due.sealed.length === 0) {
    await finish(allAccountsSql, due);
    return undefined;
  }
  const subscription = unsealSubscription(secrets, due.subscription_id, due.sealed);
  if (!due.is_active || !subscription) {
    onOutcome('left');
    await deleteSubscription(allAccountsSql, due.subscription_id);
    return undefined;
  }
  const settings = Settings.parse(due.settings);
  // A message read while the service was down needs no notice any more.
  const isWanted = settings.push_on && isFor(due) && !(due.seen && due.attempt > 1);
  if (!isWanted || due.seconds_left === 0) {
    onOutcome('unwanted');
    await finish(allAccountsSql, due);
    return undefined;
  }
  const payload = payloadFor(deps, due, settings.push_text);
  const result = await deliver(deps, subscription, payload, {
    ttlSeconds: due.seconds_left,
    topic: topicOf(deps, due),
    signal,
  });
  await settle(deps, due, result);
  return result;
}

/** Messages are their customer's; a notice of no message may be for operators, all or those with a role. */
const isFor = ({ role, token_id, roles, operator_roles }: Due): boolean =>
  role === 'customer' ||
  (token_id === null && (roles === null || roles.some((one) => operator_roles.includes(one))));

/** What is sent: the notice as it was queued, or that of a message. */
function payloadFor({ excerptOf, config }: PushDeps, due: Due, withText: boolean): PushPayload {
  const { title, notice_body, url, tag, text, bare: isBare, token_id, peer } = due;
  if (token_id === null || peer === null) {
    const body = (withText && !isBare && text) || (notice_body ?? '');
    const words = { title: title ?? '', body, url: url ?? '/', tag: tag ?? '' };
    return noticePayload(words, config.PUBLIC_URL);
  }
  const { type, body, bare } = due;
  const message = {
    messageId: due.message_id,
    tokenId: token_id,
    peer,
    peerName: due.peer_name,
    unread: due.unread,
    text: withText && !bare && type && body ? excerptOf(type, body) : undefined,
  };
  return payloadOf(message, config.PUBLIC_URL);
}

/** The conversation or the tag, hashed: a push service must not learn the phone number. */
const topicOf = ({ secrets }: PushDeps, due: Due): string =>
  hmac(
    secrets.key('pepper'),
    'push topic',
    due.account_id,
    ...(due.token_id === null || due.peer === null ? [due.tag ?? ''] : [due.token_id, due.peer]),
  )
    .toString('base64url')
    .slice(0, TOPIC_LENGTH);

/** Stores the result of a notice. */
async function settle(deps: PushDeps, due: Due, result: DeliveryResult): Promise<void> {
  const { allAccountsSql, log, onOutcome } = deps;
  const { outcome, status, waitMs } = result;
  onOutcome(outcome);
  if (outcome !== 'taken' && outcome !== 'gone') {
    log.warn(
      { address: due.service, status, attempt: due.attempt },
      'a push service did not accept a notice',
    );
  }
  switch (outcome) {
    case 'taken':
    case 'refused':
      return finish(allAccountsSql, due);
    case 'gone':
      return endSubscription(allAccountsSql, due.subscription_id);
    case 'too_large':
      return due.bare ? finish(allAccountsSql, due) : retryWithoutText(allAccountsSql, due);
    case 'later':
      if (
        !(await postpone(allAccountsSql, due, {
          waitMs: waitMs ?? waitAfter(due.attempt),
          isAsked: waitMs !== undefined,
        }))
      )
        onOutcome('given_up');
      return undefined;
  }
}

/**
 * How long a notice waits after a failed try: 2 s, twice as long each time up to five minutes, give or
 * take 20 %.
 *
 * @param attempt which try has failed, counting from 1.
 */
export function waitAfter(attempt: number, dice: () => number = Math.random): number {
  const steady = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return Math.round(steady * (0.8 + 0.4 * dice()));
}
