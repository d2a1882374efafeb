import { WEBHOOK_LIMITS, type WebhookFormat, type AttemptError } from '#contract/webhooks.ts';
import { maskSecrets, type SealedSecrets, secretsOf } from '#server/domains/webhooks/signature.ts';
import { type Outbound, type OutboundAnswer, OutboundError } from '#server/infra/net/outbound.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import { isTransient, type Tx } from '#server/infra/postgres/database.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import {
  type ReadEvent,
  type StoredEvent,
  eventColumns,
  readEvents,
} from '#server/domains/webhooks/events.ts';
import { formats } from './formats.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { gather } from '#server/infra/postgres/gather.ts';
import { repeat } from '#server/infra/polling.ts';
import { createHash } from 'node:crypto';
import { Refusal } from '#contract/base/refusals.ts';
import { phonesOf } from '#server/domains/accounts/accounts.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { json } from '#server/infra/postgres/sql.ts';

export type PostResult = {
  at: Date;
  ms: number;
  status: number | null;
  /** `interrupted`: this process ended; it does not count as a try, and is not stored. */
  error: Exclude<AttemptError, 'ours'> | 'interrupted' | null;
  /** The first printable characters of the response, without secrets. */
  answer: string;
  pauseMs: number | undefined;
};

/** The webhook's `secrets` are masked wherever its endpoint repeats them. */
type Address = { url: string; secrets: readonly string[] };
type Request = Address & { headers: Record<string, string>; body: string };

const TOTAL_MS = WEBHOOK_LIMITS.timeoutSeconds * 1_000;
const ANSWER_LENGTH = 200;
const AGENT = 'Kabari-Webhooks/1';

export const withUserAgent = (headers: Record<string, string>): Record<string, string> => ({
  ...headers,
  'user-agent': AGENT,
});

/** True for a response that confirms receipt. */
export const isAccepted = ({ status }: Pick<PostResult, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;

type PostDeps = { outbound: Outbound; now: () => Date };

/** Posts once and does not follow redirects. Network and endpoint errors never throw. */
export const post = (
  deps: PostDeps,
  { secrets, ...request }: Request,
  signal?: AbortSignal,
): Promise<PostResult> =>
  tell(deps, secrets, () =>
    deps.outbound.post({ ...request, totalMs: TOTAL_MS, ...(signal && { signal }) }),
  );

/** The same with a GET. */
export const sendGet = (deps: PostDeps, { url, secrets }: Address): Promise<PostResult> =>
  tell(deps, secrets, () =>
    deps.outbound.get({ url, headers: withUserAgent({}), totalMs: TOTAL_MS }),
  );

async function tell(
  { now }: Pick<PostDeps, 'now'>,
  secrets: readonly string[],
  request: () => Promise<OutboundAnswer>,
): Promise<PostResult> {
  const at = now();
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  try {
    const { status, headers, body } = await request();
    const pauseMs = retryAfterMs(headers['retry-after'], now());
    return { at, ms: took(), status, error: null, answer: printable(body, secrets), pauseMs };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const reason = error.reason === 'ended' ? 'interrupted' : error.reason;
    return { at, ms: took(), status: null, error: reason, answer: '', pauseMs: undefined };
  }
}

/** The printable start of a response. Secrets are masked before it is cut. */
const printable = (body: Buffer, secrets: readonly string[]): string =>
  maskSecrets(body.toString('utf8'), secrets)
    .slice(0, ANSWER_LENGTH * 8)
    .replace(/[\p{C}\p{Zl}\p{Zp}\ufffd]+/gu, ' ')
    .trim()
    .slice(0, ANSWER_LENGTH)
    .toWellFormed();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const WAITS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** The longest pause that an endpoint can request. */
const PAUSE_MS_MAX = 24 * HOUR;

/**
 * The wait before the next try of a delivery: 5 s at first, 24 h at last, give or take 10 %, so that retries to a
 * recovered endpoint spread out. A longer `Retry-After` wins, up to a day.
 *
 * @param tries failed tries, from 1.
 * @param pauseMs the `Retry-After` of the response.
 * @param dice 0 ≤ dice < 1.
 * @returns whole milliseconds; undefined after the 13th try, a little more than three days after the first.
 */
export function retryWaitMs(
  tries: number,
  pauseMs = 0,
  dice: number = Math.random(),
): number | undefined {
  const steady = WAITS_MS[tries - 1];
  if (steady === undefined) return undefined;
  const own = Math.round(steady * (0.9 + 0.2 * dice));
  return Math.max(own, Math.min(pauseMs, PAUSE_MS_MAX));
}

/** The end of the requested pause: at most a day from now. */
export const pauseUntil = (now: Date, pauseMs: number): Date =>
  new Date(now.getTime() + Math.min(pauseMs, PAUSE_MS_MAX));

/** A `Retry-After` header in milliseconds from now; undefined when invalid. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

/** Time between collections while events arrive: one for many costs little more than one for few. */
const GATHER_MS = 80;
/** The wait for events that follow a pause. */
const PAUSE_MS = 10;
/** Interval of the sweep over all webhooks, which finds work from other processes. */
const SWEEP_MS = 5_000;
const EVENTS_MAX = 500;

/** Collects events for webhooks and sends them; several processes may run one. */
export type WebhookWorker = {
  add: (accountIds: Iterable<string>) => void;
  /** A webhook was changed in this process, or a delivery is to be resent. */
  wake: () => void;
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Starts to collect and send. An account without webhooks costs nothing: the accounts with one are cached and
 * refreshed every five seconds, and that sweep also finds missed events.
 */
export function startWebhookWorker(deps: WebhookDeps): WebhookWorker {
  const sender = startSender(deps);
  const changed = new Set<string>();
  let withWebhook: ReadonlySet<string> = new Set();
  let working: Promise<void> | undefined;
  let isSweepDue = true;
  let timer: NodeJS.Timeout | undefined;
  let collectedAt = -Infinity;
  let closed = false;

  const work = async () => {
    timer = undefined;
    const isSweep = isSweepDue;
    isSweepDue = false;
    const accountIds = [...changed];
    changed.clear();
    if (isSweep) {
      withWebhook = await accountsWithWebhook(deps);
      await releaseExpiredLeases(deps);
      await sendSwitchedOffMessages(deps);
    }
    if ((isSweep ? withWebhook.size : accountIds.length) > 0) {
      collectedAt = performance.now();
      for (const locked of await collect(deps, isSweep ? undefined : accountIds))
        changed.add(locked);
    }
    sender.wake();
  };
  const schedule = (ms = Math.max(PAUSE_MS, collectedAt + GATHER_MS - performance.now())) => {
    if (!closed && working === undefined) timer ??= setTimeout(() => void run(), ms);
  };
  const run = () => {
    working ??= work()
      // The next sweep finds the uncollected events.
      .catch((error: unknown) => {
        if (!isTransient(error)) deps.report(error);
      })
      .finally(() => {
        working = undefined;
        if (changed.size > 0 || isSweepDue) schedule();
      });
    return working;
  };
  const sweep = () => {
    isSweepDue = true;
    schedule(0);
  };
  const sweeping = setInterval(sweep, SWEEP_MS);
  sweep();
  return {
    add: (accountIds) => {
      for (const accountId of accountIds) if (withWebhook.has(accountId)) changed.add(accountId);
      if (changed.size > 0 || isSweepDue) schedule();
    },
    wake: sweep,
    drain: async () => {
      // The sender locks webhooks too: their events are left to the next run.
      do {
        await working;
        isSweepDue = true;
        await run();
        await sender.drain();
      } while (changed.size > 0 || working !== undefined);
    },
    close: async () => {
      closed = true;
      clearInterval(sweeping);
      clearTimeout(timer);
      await working;
      await sender.close();
    },
  };
}

/**
 * Releases the lanes of workers whose lease has ended, by the database's clock.
 *
 * Locks the webhooks, in their order.
 */
async function releaseExpiredLeases({ allAccountsSql, now }: WebhookDeps): Promise<void> {
  const at = now();
  await allAccountsSql.begin(async (tx) => {
    const expired = await tx<{ id: string }[]>`
      select distinct webhook_id as id from webhook_lanes
      where claim is not null and leased_until < clock_timestamp()`;
    if (expired.length === 0) return;
    const ids = expired.map(({ id }) => id);
    await tx`
      select from webhooks where webhook_id = any (${ids}::uuid[]) order by webhook_id for update`;
    await tx`
      select release_webhook_lanes(
        array_agg(account_id), array_agg(webhook_id), array_agg(lane), array_agg(claim), ${at}
      )
      from webhook_lanes
      where webhook_id = any (${ids}::uuid[]) and claim is not null and leased_until < clock_timestamp()`;
    await tx`select schedule_webhooks(${ids}::uuid[], ${at})`;
  });
}

async function accountsWithWebhook({ allAccountsSql }: WebhookDeps): Promise<Set<string>> {
  const rows = await allAccountsSql<{ id: string }[]>`
    select distinct account_id as id from webhooks where state = 'on'`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Collects new events until none are left.
 *
 * @param accountIds left out: of all accounts.
 * @returns the accounts whose webhooks another transaction had locked.
 */
async function collect(
  { allAccountsSql, now }: WebhookDeps,
  accountIds?: readonly string[],
): Promise<string[]> {
  for (;;) {
    const [taken] = await allAccountsSql<{ o_more: boolean; o_locked: string[] }[]>`
      select o_more, o_locked from collect_webhook_events(
        ${accountIds ? [...accountIds] : null}::uuid[], ${EVENTS_MAX}, ${now()})`;
    if (!taken?.o_more) return taken?.o_locked ?? [];
  }
}

/** The lease of a claimed delivery: well beyond the time-out of a try. */
const LEASE_SECONDS = 30;
/** Polling interval without a hint, and while claims fail. */
const POLL_MS = 1_000;
/** The time that closing waits for tries in progress; unfinished ones are sent again. */
const FINISH_MS = 3_000;
const SETTLED_TOGETHER_MAX = 200;
/** Only the next event of the same conversation waits for it. */
const SETTLE_WAIT_MS = 60;
const SETTLE_PAUSE_MS = 4;
/** Many results wait for nothing: they free slots and conversations. */
const SETTLE_ENOUGH = 16;

type Sender = {
  wake: () => void;
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

/** A claimed delivery with its webhook and event, each undefined once deleted. */
type Ready = {
  claimed: Claimed;
  hook: Hook | undefined;
  read: ReadEvent | 'broken' | undefined;
};

function startSender(deps: WebhookDeps): Sender {
  const inFlight = new Set<Promise<void>>();
  const slots = openSlots(() => looking.wake());
  const closing = new AbortController();
  let closed = false;
  const settle = gather<Result, boolean>((results) => settleResults(deps, results), {
    waitMs: SETTLE_WAIT_MS,
    pauseMs: SETTLE_PAUSE_MS,
    enough: SETTLE_ENOUGH,
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
      // Its lease ends, and it is sent again.
      .catch(reportError)
      .then((isMoreDue) => {
        inFlight.delete(work);
        const wereScarce = slots.areScarce();
        end();
        if (isMoreDue === true || wereScarce) looking.wake();
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
  const looking = repeat(look, POLL_MS, deps.report);
  return {
    wake: looking.wake,
    drain: async () => {
      looking.wake();
      while (looking.running() || inFlight.size > 0)
        await Promise.all([looking.running(), ...inFlight]);
    },
    close: async () => {
      closed = true;
      const deadline = setTimeout(() => closing.abort(), FINISH_MS);
      await looking.close();
      await Promise.all(inFlight);
      clearTimeout(deadline);
    },
  };
}

/**
 * Whether another claim may find work at once: the slots ran out, or a webhook got its full share. Otherwise no
 * claim is made, since an empty one costs as much as a try.
 */
function mayHaveMore(ready: readonly Ready[], slots: number): boolean {
  if (ready.length === 0 || ready.length >= slots) return ready.length > 0;
  const byHook = Map.groupBy(ready, ({ claimed }) => claimed.o_webhook);
  const share = Math.max(1, Math.floor(slots / byHook.size));
  return byHook.values().some((own) => own.length >= share);
}

async function claim(
  deps: WebhookDeps,
  { slots, unreliable }: { slots: number; unreliable: number },
): Promise<Ready[]> {
  const { allAccountsSql } = deps;
  const claimed = await allAccountsSql<Claimed[]>`
    select * from claim_webhook_deliveries(${deps.now()}, ${slots}, ${unreliable}, ${LEASE_SECONDS})`;
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
  const events = await readSeparately(deps, stored);
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

/** Reads events together; if that fails, each by itself, so that one broken event fails alone. */
async function readSeparately(
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
 * Makes one try. An event that is erased, or that its format does not support, is skipped. An error before sending
 * is reported and counts as a failed try, so the delivery is retried later and delays no other.
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
  const dueAfter = (pauseMs?: number) => {
    const waitMs = retryWaitMs(claimed.o_tries + 1, pauseMs);
    return waitMs === undefined ? null : new Date(deps.now().getTime() + waitMs);
  };
  if (!hook || !read) return { ...ours, outcome: 'skipped' };
  const request = prepare(deps, publicId('delivery', claimed.o_delivery), hook, read);
  if (!request) return { ...ours, outcome: 'skipped' };
  if (request === 'broken') {
    const noResponse = { status: null, error: 'ours', ms: 0, headers: {}, answer: '' } as const;
    return { ...ours, ...noResponse, at: deps.now(), outcome: 'failed', due: dueAfter() };
  }
  const headers = withUserAgent(request.headers);
  const { body, secrets } = request;
  const began = performance.now();
  const result = await post(deps, { url: hook.url, headers, body, secrets }, signal);
  if (deps.tracing) traceTry(deps.tracing, { began, claimed, read, result });
  if (result.error === 'interrupted') return { ...ours, outcome: 'interrupted' };
  const { at, status, error, ms, answer, pauseMs } = result;
  const tried = { ...ours, at, status, error, ms, answer, headers };
  if (isAccepted(result)) return { ...tried, outcome: 'delivered' };
  if (status === 410) return { ...tried, outcome: 'gone', due: deps.now() };
  const pause = pauseMs === undefined ? {} : { asked: pauseUntil(deps.now(), pauseMs) };
  return { ...tried, ...pause, outcome: 'failed', due: dueAfter(pauseMs) };
}

type Tried = { began: number; claimed: Claimed; read: ReadEvent | 'broken'; result: PostResult };

function traceTry(tracing: Tracing, { began, claimed, read, result }: Tried): void {
  if (read === 'broken' || !('id' in read.event.data)) return;
  const messageId = uuidOf('message', String(read.event.data.id));
  if (messageId === undefined) return;
  const { status: httpStatus, error } = result;
  const failure = isAccepted(result) ? null : (error ?? String(httpStatus));
  const [, of = ''] = read.event.type.split('.');
  const attempt = claimed.o_tries + 1;
  tracing.did({
    operation: 'webhook',
    began,
    steps: [{ messageId, of, attempt, httpStatus, failure }],
  });
}

/** Null for an event that the webhook's format does not support. */
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

/** Concurrent tries of this process; slow ones stop counting after `SLOW_MS`. */
const SLOTS = 64;
/** Slots for unreliable webhooks: those that failed or were slow recently. */
const UNRELIABLE_SLOTS = SLOTS / 2;
/** After this time a try frees its slot; its endpoint gets no more until it answers. */
const SLOW_MS = 1_000;
/** Concurrent tries including slow ones; each is a connection. */
const TRIES_MAX = 512;

type Slots = {
  /** Free slots, and how many of them unreliable webhooks may use. */
  free: () => { slots: number; unreliable: number };
  /** Starts a try. @returns a function to call when it has ended */
  take: (isUnreliable: boolean) => () => void;
  /** At least half are taken: deliveries may wait for another webhook's slot. */
  areScarce: () => boolean;
};

/**
 * Counts tries. A try that waits for its response for more than a second frees its slot, so endpoints that hang at
 * the same moment delay the others by a second, not by the whole time-out.
 *
 * @param onSlow called when a slow try has freed its slot.
 */
function openSlots(onSlow: () => void): Slots {
  let all = 0;
  let slow = 0;
  let unreliable = 0;
  const free = () => ({
    slots: Math.max(0, Math.min(SLOTS - all + slow, TRIES_MAX - all)),
    unreliable: Math.max(0, UNRELIABLE_SLOTS - unreliable),
  });
  return {
    free,
    areScarce: () => {
      const left = free();
      return left.slots <= SLOTS / 2 || left.unreliable <= UNRELIABLE_SLOTS / 2;
    },
    take: (isUnreliable) => {
      let isSlow = false;
      all += 1;
      if (isUnreliable) unreliable += 1;
      const timer = setTimeout(() => {
        isSlow = true;
        slow += 1;
        onSlow();
      }, SLOW_MS);
      return () => {
        clearTimeout(timer);
        all -= 1;
        if (isSlow) slow -= 1;
        if (isUnreliable) unreliable -= 1;
      };
    },
  };
}

/** The outcome of a claimed delivery; without a try, only `outcome` is set. */
type Result = {
  account: string;
  webhook: string;
  lane: string;
  claim: string;
  position: number | null;
  outcome: 'delivered' | 'failed' | 'gone' | 'skipped' | 'interrupted';
  at?: Date;
  ms?: number;
  status?: number | null;
  error?: AttemptError | null;
  headers?: Readonly<Record<string, string>>;
  answer?: string;
  /** The next try, for a disabled webhook not before it is enabled; null: none. */
  due?: Date | null;
  asked?: Date;
};

type SwitchedOff = {
  o_account: string;
  o_webhook: string;
  o_token: string;
  o_reason: 'gone' | 'failing';
};
type Settled = SwitchedOff | { o_webhook: null; o_is_due: boolean };

/**
 * Stores results, and notifies owners of webhooks that they switch off in the same transaction.
 *
 * @returns for each result, whether its webhook has more to send now.
 */
async function settleResults(deps: WebhookDeps, results: readonly Result[]): Promise<boolean[]> {
  let isMoreDue = false;
  await deps.allAccountsSql.begin(async (tx) => {
    const rows = await tx<Settled[]>`
      select * from settle_webhook_deliveries(
        ${json(results)}, ${deps.now()}, make_interval(days => ${WEBHOOK_LIMITS.failingDays}))`;
    for (const one of rows) {
      if (one.o_webhook === null) isMoreDue = one.o_is_due;
      else await notifySwitchedOff(tx, deps, one);
    }
  });
  for (const { outcome } of results) deps.onOutcome(outcome);
  return results.map(() => isMoreDue);
}

const causes: Readonly<Record<SwitchedOff['o_reason'], string>> = {
  gone: 'alamatnya menjawab 410 (tidak dipakai lagi)',
  failing: 'tiga hari tidak satu pun pengiriman berhasil',
};

/** Notifies open pages and browsers at once; `sendSwitchedOffMessages` sends the message. */
async function notifySwitchedOff(
  tx: Tx,
  { queueNotice }: WebhookDeps,
  { o_account: accountId, o_token, o_reason }: SwitchedOff,
): Promise<void> {
  const token = publicId('token', o_token);
  await appendEvent(tx, { accountId, kind: 'webhook.changed', data: { token_id: token } });
  await queueNotice(tx, {
    accountId,
    title: 'Webhook dimatikan',
    body: `Sebuah webhook dimatikan: ${causes[o_reason]}. Perbaiki lalu nyalakan lagi.`,
    url: `/token/webhook?token=${token}`,
    tag: 'webhook-mati',
  });
}

type Due = {
  account_id: string;
  webhook_id: string;
  off_reason: SwitchedOff['o_reason'];
  at: Date;
};

const MESSAGES_AT_ONCE = 20;

/** Sends each message under its own key, so that none is sent twice. */
async function sendSwitchedOffMessages(deps: WebhookDeps): Promise<void> {
  const { allAccountsSql } = deps;
  const due = await allAccountsSql<Due[]>`
    select account_id, webhook_id, off_reason, changed_at as at from webhooks
    where notice_due order by changed_at limit ${MESSAGES_AT_ONCE}`;
  if (due.length === 0) return;
  const people = await phonesOf(
    allAccountsSql,
    due.map(({ account_id }) => account_id),
  );
  for (const one of due) {
    const own = people.filter(({ accountId }) => accountId === one.account_id);
    const sent = await Promise.allSettled(
      own.map(({ userId, phone }) => {
        const key = [one.webhook_id, one.at.getTime(), userId].join(':');
        return deps.sendSystemText(phone, textOf(one), keyOf(key));
      }),
    );
    const failures = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    for (const failure of failures) deps.report(failure);
    // A refusal is final; after any other error the next sweep sends the missing ones.
    if (!failures.every((failure) => failure instanceof Refusal)) continue;
    await allAccountsSql`
      update webhooks set notice_due = false
      where webhook_id = ${one.webhook_id} and changed_at = ${one.at}`;
  }
}

const textOf = ({ off_reason }: Due): string =>
  `Webhook Kabari Anda dimatikan: ${causes[off_reason]}. Perbaiki alamatnya, lalu nyalakan lagi di halaman Nomor. ` +
  'Peristiwa selama webhook mati tetap dapat dibaca lewat GET /v1/events.';

/** A hash, because the key outlives an erased account and must not identify it. */
const keyOf = (facts: string): string =>
  `webhook-off:${createHash('sha256').update(facts).digest('base64url')}`;
