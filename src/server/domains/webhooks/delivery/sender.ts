import { publicId, uuidOf } from '#contract/base/ids.ts';
import type { WebhookFormat } from '#contract/webhooks/webhook.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import {
  type ReadEvent,
  type StoredEvent,
  eventColumns,
  readEvents,
} from '#server/domains/webhooks/events.ts';
import { formats } from '#server/domains/webhooks/formats/formats.ts';
import { type SealedSecrets, secretsOf } from '#server/domains/webhooks/signature.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { isTransient } from '#server/infra/postgres/database.ts';
import { gather } from '#server/infra/postgres/gather.ts';
import { type PostResult, isTaken, post, withAgent } from './post.ts';
import { pauseUntil, retryWaitMs } from './schedule.ts';
import { type Result, settleResults } from './settle.ts';
import { openSlots } from './slots.ts';

/** A claimed delivery is ours for so long: well beyond the time-out of a try. */
const LEASE_SECONDS = 30;
/** How often is looked without a hint, and while something fails. */
const POLL_MS = 1_000;
/** When closing, tries under way may take so long; the rest is sent again later. */
const FINISH_MS = 3_000;
const SETTLED_TOGETHER_MAX = 200;
const SETTLE_WAIT_MS = 4;

/** Sends what waits; any number of these may run. */
export type Sender = {
  /** There may be something to send: look now. */
  wake: () => void;
  /** Sends what is due now, and waits until that is done. */
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

type Claimed = {
  o_account: string;
  o_webhook: string;
  o_lane: string;
  o_claim: string;
  o_doubtful: boolean;
  o_position: number | null;
  o_delivery: string;
  o_tries: number;
};

type Hook = SealedSecrets & { url: string; format: WebhookFormat; phone: string | null };

/** A claimed delivery with where it goes and what it says; undefined what is there no more. */
type Ready = {
  claimed: Claimed;
  hook: Hook | undefined;
  read: ReadEvent | 'broken' | undefined;
};

export function startSender(deps: WebhookDeps): Sender {
  const inFlight = new Set<Promise<void>>();
  const slots = openSlots(() => wake());
  const closing = new AbortController();
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let closed = false;
  const settle = gather<Result, boolean>((results) => settleResults(deps, results), {
    waitMs: SETTLE_WAIT_MS,
    sizeMax: SETTLED_TOGETHER_MAX,
    runsMax: 2,
  });
  const reportError = (error: unknown) => {
    if (!isTransient(error)) deps.report(error);
  };
  const start = (ready: Ready) => {
    const end = slots.take(ready.claimed.o_doubtful);
    const work = attempt(deps, ready, closing.signal)
      .then(settle)
      // Its lease ends by itself, and it is sent again.
      .catch(reportError)
      .then((isMoreDue) => {
        inFlight.delete(work);
        const wereScarce = slots.areScarce();
        end();
        if (isMoreDue === true || wereScarce) wake();
      });
    inFlight.add(work);
  };
  const look = async () => {
    for (;;) {
      const free = slots.free();
      if (closed || free.slots === 0) return;
      const ready = await claim(deps, free);
      for (const one of ready) start(one);
      if (!mayHaveMore(ready, free.slots)) return;
    }
  };
  const wake = () => {
    if (closed) return;
    lookAgain = looking !== undefined;
    looking ??= look()
      .catch(reportError)
      .finally(() => {
        looking = undefined;
        if (lookAgain) wake();
      });
  };
  const timer = setInterval(wake, POLL_MS);
  return {
    wake,
    drain: async () => {
      wake();
      while (looking !== undefined || inFlight.size > 0) await Promise.all([looking, ...inFlight]);
    },
    close: async () => {
      closed = true;
      clearInterval(timer);
      const deadline = setTimeout(() => closing.abort(), FINISH_MS);
      await looking;
      await Promise.all(inFlight);
      clearTimeout(deadline);
    },
  };
}

/**
 * Whether another claim may find something at once: the slots were not enough, or a webhook got as many as its
 * share allowed. Mostly neither is so, and a claim that finds nothing costs as much as a try.
 */
function mayHaveMore(ready: readonly Ready[], slots: number): boolean {
  if (ready.length === 0 || ready.length >= slots) return ready.length > 0;
  const byHook = Map.groupBy(ready, ({ claimed }) => claimed.o_webhook);
  const share = Math.max(1, Math.floor(slots / byHook.size));
  return byHook.values().some((own) => own.length >= share);
}

/** Claims what is due, and reads what it says. */
async function claim(
  deps: WebhookDeps,
  { slots, doubtful }: { slots: number; doubtful: number },
): Promise<Ready[]> {
  const { allAccountsSql } = deps;
  const claimed = await allAccountsSql<Claimed[]>`
    select * from claim_webhook_deliveries(${deps.now()}, ${slots}, ${doubtful}, ${LEASE_SECONDS})`;
  if (claimed.length === 0) return [];
  const [hooks, stored] = await Promise.all([
    allAccountsSql<Hook[]>`
      select w.webhook_id, w.url, w.format, w.secret, w.previous_secret, w.previous_until, t.phone
      from webhooks w join tokens t on t.account_id = w.account_id and t.token_id = w.token_id
      where w.webhook_id = any(${claimed.map(({ o_webhook }) => o_webhook)}::uuid[])`,
    allAccountsSql<StoredEvent[]>`
      select ${eventColumns(allAccountsSql)}
      from unnest(
        ${claimed.map(({ o_account }) => o_account)}::uuid[],
        ${claimed.map(({ o_position }) => o_position)}::bigint[]
      ) as c(account_id, position)
      join events e on e.account_id = c.account_id and e.position = c.position`,
  ]);
  const events = await readApart(deps, stored);
  const keyOf = (accountId: string, position: number | null) => `${accountId} ${position}`;
  const byKey = new Map(
    stored.map(({ account_id, position }, index) => [keyOf(account_id, position), events[index]]),
  );
  return claimed.map((one) => ({
    claimed: one,
    hook: hooks.find(({ webhook_id }) => webhook_id === one.o_webhook),
    read: byKey.get(keyOf(one.o_account, one.o_position)),
  }));
}

/** What events say: all together, and where that fails each by itself, so that none fails for another's fault. */
async function readApart(
  deps: WebhookDeps,
  stored: readonly StoredEvent[],
): Promise<Ready['read'][]> {
  const { allAccountsSql, report } = deps;
  try {
    return await readEvents(deps, allAccountsSql, stored);
  } catch (error) {
    if (isTransient(error)) throw error;
    const each = stored.map(async (one) => {
      const [read] = await readEvents(deps, allAccountsSql, [one]);
      return read;
    });
    return (await Promise.allSettled(each)).map((one) => {
      if (one.status === 'fulfilled') return one.value;
      report(one.reason);
      return 'broken';
    });
  }
}

/**
 * Makes one try. An event that is erased, or that its format has no word for, is passed over. What fails here, before
 * anything was sent, is reported and counts as a try: it is made again later, and holds up nobody else.
 */
async function attempt(
  deps: WebhookDeps,
  { claimed, hook, read }: Ready,
  signal: AbortSignal,
): Promise<Result> {
  const ours = {
    account: claimed.o_account,
    webhook: claimed.o_webhook,
    lane: claimed.o_lane,
    claim: claimed.o_claim,
    position: claimed.o_position,
  };
  const dueAfter = (askedMs?: number) => {
    const waitMs = retryWaitMs(claimed.o_tries + 1, askedMs);
    return waitMs === undefined ? null : new Date(deps.now().getTime() + waitMs);
  };
  if (!hook || !read) return { ...ours, outcome: 'skipped' };
  const request = prepare(deps, publicId('delivery', claimed.o_delivery), hook, read);
  if (!request) return { ...ours, outcome: 'skipped' };
  if (request === 'broken') {
    const nothing = { status: null, error: 'ours', ms: 0, headers: {}, answer: '' } as const;
    return { ...ours, ...nothing, at: deps.now(), outcome: 'failed', due: dueAfter() };
  }
  const headers = withAgent(request.headers);
  const { body, secrets } = request;
  const began = performance.now();
  const result = await post(deps, { url: hook.url, headers, body, secrets }, signal);
  if (deps.tracing) traceTry(deps.tracing, { began, claimed, read, result });
  if (result.error === 'interrupted') return { ...ours, outcome: 'interrupted' };
  const { at, status, error, ms, answer, askedMs } = result;
  const tried = { ...ours, at, status, error, ms, answer, headers };
  if (isTaken(result)) return { ...tried, outcome: 'delivered' };
  if (status === 410) return { ...tried, outcome: 'gone', due: deps.now() };
  const pause = askedMs === undefined ? {} : { asked: pauseUntil(deps.now(), askedMs) };
  return { ...tried, ...pause, outcome: 'failed', due: dueAfter(askedMs) };
}

type Tried = { began: number; claimed: Claimed; read: ReadEvent | 'broken'; result: PostResult };

/** Records a try of an event of a message. */
function traceTry(tracing: Tracing, { began, claimed, read, result }: Tried): void {
  if (read === 'broken' || !('id' in read.event.data)) return;
  const messageId = uuidOf('message', String(read.event.data.id));
  if (messageId === undefined) return;
  const { status: httpStatus, error } = result;
  const failure = isTaken(result) ? null : (error ?? String(httpStatus));
  const [, of = ''] = read.event.type.split('.');
  const attempt = claimed.o_tries + 1;
  tracing.did({
    operation: 'webhook',
    began,
    steps: [{ messageId, of, attempt, httpStatus, failure }],
  });
}

/** The bytes of one try, and what signs them; null for an event that the webhook's format has no word for. */
function prepare(deps: WebhookDeps, id: string, hook: Hook, read: ReadEvent | 'broken') {
  if (read === 'broken') return read;
  const { event, ...beside } = read;
  const context = { ...beside, phone: hook.phone };
  try {
    const secrets = secretsOf(deps, hook);
    const request = formats[hook.format].build({ id, at: deps.now(), event, context, secrets });
    return request && { ...request, secrets };
  } catch (error) {
    deps.report(error);
    return 'broken';
  }
}
