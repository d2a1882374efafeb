import { isTransient } from '#server/infra/postgres/database.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import { Settings } from '#server/domains/accounts/accounts.ts';
import { type Verdict, deliver } from './deliver.ts';
import type { PushDeps } from '#server/domains/push/deps.ts';
import { payloadOf } from './payload.ts';
import { type Due, finish, postpone, shrink, takeDue, thin } from './queue.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { forget, openSubscription } from '#server/domains/push/subscriptions/subscriptions.ts';

/** Notices under way at once. */
const ABREAST = 8;
/** How often the queue is looked at without a hint. */
const POLL_MS = 1_000;
const THIN_MS = 5_000;
/** What is under way may finish for so long when the house closes; the rest goes again later. */
const FINISH_MS = 3_000;
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 300_000;
const TOPIC_LENGTH = 32;

/** Sends the notices that wait; any number of these may run. */
export type PushSender = {
  /** There may be something to send: look now. */
  poke: () => void;
  /** Sends what is due now, and waits until that is done. */
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

/** Starts sending. @param rests tests look at it; one of its own without it. */
export function startPushSender(
  deps: PushDeps,
  circuitBreaker: CircuitBreaker = createCircuitBreaker(),
): PushSender {
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  let looking: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let thinned = -Infinity;

  const send = (due: Due) => {
    circuitBreaker.began(due.service);
    let failed = false;
    const work = sendOne(deps, due, closing.signal)
      .then((verdict) => {
        failed = verdict?.outcome === 'later';
      })
      .catch(complain)
      .finally(() => {
        circuitBreaker.ended(due.service, failed);
        underWay.delete(work);
        poke();
      });
    underWay.add(work);
  };
  const complain = (error: unknown) => {
    if (!isTransient(error)) deps.report(error);
  };
  const look = async () => {
    if (performance.now() - thinned > THIN_MS) {
      thinned = performance.now();
      await thin(deps.allAccountsSql);
    }
    while (!closed && underWay.size < ABREAST) {
      const due = await takeDue(deps.allAccountsSql, circuitBreaker.blocked());
      if (!due) return;
      send(due);
    }
  };
  const poke = () => {
    if (closed) return;
    again = looking !== undefined;
    looking ??= look()
      .catch(complain)
      .finally(() => {
        looking = undefined;
        if (again) poke();
      });
  };
  const drain = async () => {
    poke();
    while (looking !== undefined || underWay.size > 0) await Promise.all([looking, ...underWay]);
  };
  const timer = setInterval(poke, POLL_MS);
  return {
    poke,
    drain,
    close: async () => {
      closed = true;
      clearInterval(timer);
      const late = setTimeout(() => closing.abort(), FINISH_MS);
      await looking;
      await Promise.all(underWay);
      clearTimeout(late);
    },
  };
}

/** Sends one notice, when its person is still there and wants it. */
async function sendOne(
  deps: PushDeps,
  due: Due,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const { allAccountsSql, secrets, config, told } = deps;
  const subscription = openSubscription(secrets, due.subscription_id, due.sealed);
  if (!due.stands || !subscription) {
    told('left');
    await forget(allAccountsSql, due.subscription_id);
    return undefined;
  }
  const wishes = Settings.parse(due.settings);
  // What was seen while the service was in trouble needs no notice any more.
  const isWanted = wishes.push_on && due.role === 'customer' && !(due.seen && due.attempt > 1);
  if (!isWanted || due.seconds_left === 0) {
    told('unwanted');
    await finish(allAccountsSql, due);
    return undefined;
  }
  const payload = payloadOf(newsOf(deps, due, wishes.push_text), config.PUBLIC_URL);
  const verdict = await deliver(deps, subscription, payload, {
    ttlSeconds: due.seconds_left,
    topic: topicOf(deps, due),
    signal,
  });
  await settle(deps, due, verdict);
  return verdict;
}

const newsOf = ({ excerptOf }: PushDeps, due: Due, withText: boolean) => ({
  messageId: due.message_id,
  tokenId: due.token_id,
  peer: due.peer,
  peerName: due.peer_name,
  unread: due.unread,
  text: withText && !due.bare && due.type && due.body ? excerptOf(due.type, due.body) : undefined,
});

/** The conversation, told so that a push service does not learn a phone number from it. */
const topicOf = ({ secrets }: PushDeps, due: Due): string =>
  hmac(secrets.key('pepper'), 'push topic', due.account_id, due.token_id, due.peer)
    .toString('base64url')
    .slice(0, TOPIC_LENGTH);

/** Writes down what became of a notice. */
async function settle(deps: PushDeps, due: Due, verdict: Verdict): Promise<void> {
  const { allAccountsSql, log, told } = deps;
  const { outcome, status, waitMs } = verdict;
  told(outcome);
  if (outcome !== 'taken' && outcome !== 'gone') {
    log.warn({ address: due.service, status, attempt: due.attempt }, 'a notice was not taken');
  }
  switch (outcome) {
    case 'taken':
    case 'refused':
      return finish(allAccountsSql, due);
    case 'gone':
      return forget(allAccountsSql, due.subscription_id);
    case 'too_large':
      return due.bare ? finish(allAccountsSql, due) : shrink(allAccountsSql, due);
    case 'later':
      if (!(await postpone(allAccountsSql, due, waitMs ?? waitAfter(due.attempt))))
        told('given_up');
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
