import type { Notice } from '#server/infra/notices.ts';
import { backoff } from '#server/infra/backoff.ts';
import type { OperatorRole } from '#contract/base/act.ts';
import type { MessageType } from '#contract/messages.ts';
import type { Role } from '#contract/accounts.ts';
import { isActiveSession, Settings } from '#server/domains/accounts/accounts.ts';
import { type Sql, type Tx, isTransient } from '#server/infra/postgres/database.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { newId } from '#server/infra/ids.ts';
import { repeat } from '#server/infra/polling.ts';
import {
  isReachable,
  type Subscription,
  deleteSubscription,
  endSubscription,
  unsealSubscription,
  findByToken,
} from '#server/domains/push/subscriptions.ts';
import { cleanedName } from '#contract/base/names.ts';
import { publicId } from '#contract/base/ids.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import { type PushPayload, testPush } from '#contract/push.ts';
import { OutboundError } from '#server/infra/net/outbound.ts';
import type { PushDeps } from '#server/domains/push/deps.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';

export type Received = {
  accountId: string;
  tokenId: string;
  messageId: string;
  peer: string;
  name: string | undefined;
};

const LEASE_SECONDS = 30;
/** After this wait, only the newest notice of each conversation is sent. */
const BACKLOG_SECONDS = 60;
const UNREAD_MAX = 999;
const SWEPT_DAYS = 8;

/** Queues a notice for every browser of the account, in the transaction that stores the message. */
export async function queueNotices(tx: Tx, received: Received): Promise<void> {
  const { accountId, tokenId, messageId, peer, name = null } = received;
  await tx`
    insert into push_queue (
      subscription_id, message_id, account_id, token_id, peer, peer_name, service
    )
    select subscription_id, ${messageId}, ${accountId}, ${tokenId}, ${peer}, ${name}, service
    from push_subscriptions where account_id = ${accountId} and ${isReachable(tx)}
    on conflict do nothing`;
}

/** A notice without a message is tried for this long: it is still worth reading a day later. */
const NOTICE_HOURS = 24;

/**
 * Queues a notice without a message for every browser of an account, in the transaction of its cause. Sent to people
 * who want notices; its body must hold no message's text.
 *
 * @param tx of the account, or one that sees all
 */
export async function queueNotice(tx: Tx, notice: PushNotice): Promise<void> {
  const { accountId, title, body, url, tag, text = null, roles } = notice;
  await tx`
    insert into push_queue (
      subscription_id, message_id, account_id, title, body, url, tag, text, roles, service, expires_at
    )
    select subscription_id, ${newId()}, ${accountId}, ${title}, ${body}, ${url}, ${tag}, ${text},
      ${roles ? [...roles] : null}::text[], service,
      clock_timestamp() + make_interval(hours => ${NOTICE_HOURS})
    from push_subscriptions where account_id = ${accountId} and ${isReachable(tx)}`;
}

/** A claimed notice, ours until its lease ends, with the current facts for sending it. */
export type Due = {
  subscription_id: string;
  message_id: string;
  account_id: string;
  /** Null for a notice without a message, which has its own `title` and so on. */
  token_id: string | null;
  peer: string | null;
  peer_name: string | null;
  title: string | null;
  notice_body: string | null;
  url: string | null;
  tag: string | null;
  text: string | null;
  /** Null: all operators get it. */
  roles: OperatorRole[] | null;
  service: string;
  bare: boolean;
  attempt: number;
  sealed: Buffer;
  /** False if the session has ended, or its account is closed. */
  is_active: boolean;
  role: Role;
  operator_roles: OperatorRole[];
  settings: unknown;
  type: MessageType | null;
  body: Record<string, unknown> | null;
  seen: boolean;
  unread: number;
  seconds_left: number;
};

/**
 * Claims the next due notice. Each browser gets its notices in the order of their messages, one at a time.
 *
 * @param except services that must not be called now
 */
export async function claimDue(
  allAccountsSql: Sql,
  except: readonly string[],
): Promise<Due | undefined> {
  for (;;) {
    const [next] = await allAccountsSql<Claimed[]>`
      select subscription_id, message_id, account_id, attempt, bare from push_queue q
      where ready_at <= clock_timestamp() and service <> all(${except}::text[])
        and not exists (
          select from push_queue o
          where o.subscription_id = q.subscription_id and o.message_id < q.message_id
        )
      order by ready_at limit 1`;
    if (!next) return undefined;
    const [claimed] = await allAccountsSql<Pick<Claimed, 'attempt' | 'bare'>[]>`
      update push_queue set attempt = attempt + 1, postponed_at = null,
        ready_at = statement_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      where ${isOurs(allAccountsSql, next)} and ready_at <= statement_timestamp()
      returning attempt, bare`;
    if (!claimed) continue;
    const facts = await inAccount(next.account_id, () => readFacts(allAccountsSql, next));
    if (facts) return { ...facts, ...claimed };
  }
}

type Claimed = Pick<Due, 'subscription_id' | 'message_id' | 'account_id' | 'attempt' | 'bare'>;

async function readFacts(
  sql: Sql,
  { subscription_id: browser, message_id: message }: Claimed,
): Promise<Due | undefined> {
  const [due] = await sql<Due[]>`
    select q.subscription_id, q.message_id, q.account_id, q.token_id, q.peer, q.peer_name, q.title,
      q.body as notice_body, q.url, q.tag, q.text, q.roles, q.service, q.bare, q.attempt, p.sealed,
      u.role, u.operator_roles, u.settings, m.type, m.body,
      a.status = 'active' and exists (
        select from sessions where session_id = p.session_id and ${isActiveSession(sql)}
      ) as is_active,
      coalesce(c.unread = 0 and c.last_message_id >= q.message_id, false) as seen,
      ${unreadOf(sql)} as unread,
      greatest(0, extract(epoch from q.expires_at - clock_timestamp()))::int as seconds_left
    from push_queue q
    join push_subscriptions p on p.subscription_id = q.subscription_id
    join accounts a on a.account_id = p.account_id
    join users u on (u.account_id, u.user_id) = (p.account_id, p.user_id)
    left join messages m on (m.account_id, m.message_id) = (q.account_id, q.message_id)
    left join conversations c
      on (c.account_id, c.token_id, c.peer) = (q.account_id, q.token_id, q.peer)
    where q.subscription_id = ${browser} and q.message_id = ${message}`;
  return due;
}

/** Conversations with unread messages; this message counts even while it is not published yet. */
const unreadOf = (sql: Sql) => sql`
  (select count(*) from (
    select from conversations v where v.account_id = q.account_id and v.unread > 0
    limit ${UNREAD_MAX}
  ) as counted)
  + case when q.peer is not null and coalesce(c.unread, 0) = 0
      and (c.last_message_id is null or c.last_message_id < q.message_id) then 1 else 0 end`;

type ClaimedNotice = Pick<Due, 'subscription_id' | 'message_id' | 'attempt'>;

/** SQL condition: no other sender has claimed the notice since we read or claimed it. */
const isOurs = (
  sql: Sql,
  { subscription_id: browser, message_id: message, attempt }: ClaimedNotice,
) => sql`
  subscription_id = ${browser} and message_id = ${message} and attempt = ${attempt}`;

/** Deletes the waiting notices of a tag for an account's browsers. */
export async function forgetNotices(
  allAccountsSql: Sql,
  { accountId, tag }: { accountId: string; tag: string },
): Promise<void> {
  await allAccountsSql`delete from push_queue where account_id = ${accountId} and tag = ${tag}`;
}

/** Removes a notice that has left, or never will. */
export async function finish(allAccountsSql: Sql, due: ClaimedNotice): Promise<void> {
  await allAccountsSql`delete from push_queue where ${isOurs(allAccountsSql, due)}`;
}

/**
 * Retries a notice after a while, unless it is too old by then.
 *
 * @param wait `isRequested`: the service requested the pause, so it is not cut short
 * @returns false if it is too old
 */
export async function postpone(
  allAccountsSql: Sql,
  due: ClaimedNotice,
  { waitMs, isRequested = false }: { waitMs: number; isRequested?: boolean },
): Promise<boolean> {
  const seconds = waitMs / 1_000;
  const [later] = await allAccountsSql`
    update push_queue set ready_at = statement_timestamp() + make_interval(secs => ${seconds}),
      postponed_at = case when not ${isRequested} then statement_timestamp() end
    where ${isOurs(allAccountsSql, due)}
      and expires_at > statement_timestamp() + make_interval(secs => ${seconds})
    returning 1`;
  if (!later) await finish(allAccountsSql, due);
  return later !== undefined;
}

/** Makes a service's postponed notices due once it answers, as many at once as it may have. */
export async function retryPostponed(allAccountsSql: Sql, service: string): Promise<void> {
  await allAccountsSql`
    update push_queue set ready_at = statement_timestamp(), postponed_at = null
    where service = ${service} and postponed_at is not null and ready_at > statement_timestamp()`;
}

/** Sends the notice again, at once, without its text. */
export async function retryWithoutText(allAccountsSql: Sql, due: ClaimedNotice): Promise<void> {
  await allAccountsSql`
    update push_queue set bare = true, ready_at = statement_timestamp() where ${isOurs(allAccountsSql, due)}`;
}

/** Deletes expired notices, and all but the newest of conversations and tags with a backlog. */
export async function dropSuperseded(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`
    delete from push_queue q where expires_at <= statement_timestamp() or (
      (attempt > 0 or ready_at < statement_timestamp() - make_interval(secs => ${BACKLOG_SECONDS}))
      and ready_at <= statement_timestamp()
      and exists (
        select from push_queue n
        where n.subscription_id = q.subscription_id and n.message_id > q.message_id
          and (n.token_id, n.peer, n.tag) is not distinct from (q.token_id, q.peer, q.tag)
      )
    )`;
}

/** Deletes browsers not refreshed for 8 days (one in use does so after 7), and ended sessions'. */
export async function sweepPush(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`
    delete from push_subscriptions p
    where refreshed_at < statement_timestamp() - make_interval(days => ${SWEPT_DAYS})
      or not exists (
        select from sessions where session_id = p.session_id and ${isActiveSession(allAccountsSql)}
      )`;
}

type MessageNotice = {
  messageId: string;
  tokenId: string;
  /** Digits with the country code. */
  peer: string;
  peerName: string | null;
  text: string | undefined;
  unread: number;
};

const ICON = '/favicon-192.png';
const DEFAULT_BODY = 'Pesan baru';
const NAME_LETTERS = 60;
const TEXT_LETTERS = 240;
/** A letter may have many bytes; a name and a text of these sizes always fit in 3.8 kB. */
const NAME_BYTES = 240;
const TEXT_BYTES = 1_000;
/** Characters scanned; more could not be shown anyway. */
const SCAN_MAX = 8_000;

const letters = new Intl.Segmenter('id', { granularity: 'grapheme' });

/**
 * The notice of a message: the sender's name and number, and the text only if the person wants it (docs/wire.md#push).
 * Under 3.8 kB for any input.
 *
 * @param origin of the portal; without it, addresses stay relative
 */
export function payloadOf(notice: MessageNotice, origin: string | undefined): PushPayload {
  const { messageId, tokenId, peer, peerName, text = '', unread } = notice;
  const search = new URLSearchParams({
    view: 'percakapan',
    open: publicId('token', tokenId),
    peer,
  });
  const cleaned = cleanedName(peerName ?? '', SCAN_MAX) ?? '';
  const name = shorten(cleaned, NAME_LETTERS, NAME_BYTES);
  const who = nameAndNumberOf({ peer, peer_name: name || null });
  return buildPayload(
    {
      title: `Pesan baru dari ${who}`,
      body: shorten(text, TEXT_LETTERS, TEXT_BYTES) || DEFAULT_BODY,
      app_badge: String(unread),
    },
    { url: `/message-history?${search.toString()}`, id: publicId('message', messageId) },
    { origin, label: 'inbox' },
  );
}

type PushNotice = Notice & {
  /** Shown instead of the body to people who switched the text on. */
  text?: string | undefined;
  roles?: readonly OperatorRole[];
};

export function noticePayload(
  notice: Pick<Notice, 'title' | 'body' | 'url' | 'tag'>,
  origin: string | undefined,
): PushPayload {
  const { title, body, url, tag } = notice;
  return buildPayload(
    {
      title: shorten(title, NAME_LETTERS, NAME_BYTES),
      body: shorten(body, TEXT_LETTERS, TEXT_BYTES),
    },
    { url, id: '', tag },
    { origin, label: 'notice' },
  );
}

export const testPayload = (origin: string | undefined): PushPayload =>
  buildPayload(
    { title: 'Kabari', body: 'Pemberitahuan sudah aktif di browser ini.' },
    { url: '/profile', id: 'test' },
    { origin, label: 'test' },
  );

function buildPayload(
  words: Pick<PushPayload['notification'], 'title' | 'body' | 'app_badge'>,
  data: PushPayload['data'],
  { origin, label }: { origin: string | undefined; label: string },
): PushPayload {
  const navigate = origin === undefined ? data.url : new URL(data.url, origin).href;
  return {
    web_push: 8030,
    notification: { ...words, icon: ICON, navigate },
    data,
    fcmOptions: { link: data.url, analyticsLabel: label },
  };
}

/** One line without bidi controls or invisible characters except `isolated` isolates, cut. */
function shorten(words: string, lettersMax: number, bytesMax: number): string {
  const line = words
    .slice(0, SCAN_MAX)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2066\u2067\ufeff]/g, '')
    .toWellFormed()
    .trim();
  let result = '';
  let count = 0;
  for (const { segment } of letters.segment(line)) {
    const isFull = Buffer.byteLength(result + segment) > bytesMax;
    if (isFull || (count === lettersMax - 1 && result.length + segment.length < line.length)) {
      return result === '' ? '' : `${result.trimEnd()}…`;
    }
    result += segment;
    count += 1;
  }
  return result;
}

const SERVICE_IN_FLIGHT_MAX = 4;
const FAILURES_MAX = 3;
const FIRST_OPEN_MS = 2_000;
const LONGEST_OPEN_MS = 60_000;

type Service = { inFlight: number; failures: number; openUntil: number };

/** A circuit breaker per push service, so that a failing one delays no other. */
export type CircuitBreaker = {
  /** Services at their limit of notices in flight, or with an open circuit. */
  blocked(): readonly string[];
  started(service: string): void;
  /**
   * @param failed true without a usable answer; a definite answer, also a refusal, is no failure
   * @returns whether this ended an open circuit
   */
  finished(service: string, failed: boolean): boolean;
};

/**
 * Counts failures per service in this process. After three in a row the circuit opens for 2 s, doubled by each further
 * failure up to a minute; then it lets one notice at a time through until one succeeds.
 *
 * @param nowMs a monotonic clock, in milliseconds
 */
export function createCircuitBreaker(
  nowMs: () => number = () => performance.now(),
): CircuitBreaker {
  const services = new Map<string, Service>();
  const of = (name: string): Service => {
    const known = services.get(name) ?? { inFlight: 0, failures: 0, openUntil: 0 };
    services.set(name, known);
    return known;
  };
  return {
    blocked: () =>
      [...services]
        .filter(([, { inFlight, failures, openUntil }]) => {
          const inFlightMax = failures >= FAILURES_MAX ? 1 : SERVICE_IN_FLIGHT_MAX;
          return inFlight >= inFlightMax || nowMs() < openUntil;
        })
        .map(([name]) => name),
    started: (name) => {
      of(name).inFlight += 1;
    },
    finished(name, failed) {
      const service = of(name);
      service.inFlight -= 1;
      const hasRecovered = !failed && service.failures >= FAILURES_MAX;
      service.failures = failed ? service.failures + 1 : 0;
      const excess = service.failures - FAILURES_MAX;
      if (excess >= 0) {
        service.openUntil =
          nowMs() + backoff(excess + 1, { first: FIRST_OPEN_MS, max: LONGEST_OPEN_MS });
      }
      return hasRecovered;
    },
  };
}

/**
 * `taken`: accepted; `gone`: the subscription ended; `too_large`: may fit with less content; `later`: a transient
 * failure; `refused`: a permanent one.
 */
export type DeliveryResult = {
  outcome: 'taken' | 'gone' | 'too_large' | 'later' | 'refused';
  /** 0 without an answer. */
  status: number;
  waitMs?: number;
};

type DeliveryOptions = {
  /** Time that the service stores it for a browser that is offline. */
  ttlSeconds: number;
  /** At most 32 letters: a newer notice of a topic replaces one that waits. */
  topic?: string;
  totalMs?: number;
  signal?: AbortSignal;
};

/** Encrypts a notice for a browser (RFC 8291) and posts it to its push service (RFC 8030, 8292). */
export async function deliver(
  { config, vapid, outbound }: Pick<PushDeps, 'config' | 'vapid' | 'outbound'>,
  { endpoint, p256dh, auth }: Subscription,
  payload: PushPayload,
  { ttlSeconds, topic, totalMs, signal }: DeliveryOptions,
): Promise<DeliveryResult> {
  const { default: webPush } = await import('web-push');
  const authorization = await vapid.authorize(new URL(endpoint).origin, contactOf(config));
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(payload),
    {
      TTL: ttlSeconds,
      urgency: 'high',
      contentEncoding: 'aes128gcm',
      ...(topic !== undefined && { topic }),
    },
  );
  try {
    const answer = await outbound.post({
      url: endpoint,
      headers: { ...namesOf(headers), authorization },
      body,
      ...(totalMs !== undefined && { totalMs }),
      ...(signal && { signal }),
    });
    return resultOf(answer.status, answer.headers['retry-after']);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { outcome: error.reason === 'refused' ? 'refused' : 'later', status: 0 };
  }
}

const contactOf = ({ PUSH_CONTACT, PUBLIC_URL }: PushDeps['config']): string =>
  PUSH_CONTACT ?? `mailto:admin@${new URL(PUBLIC_URL ?? 'http://localhost').hostname}`;

const namesOf = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const WAIT_MS_MAX = 3_600_000;

/**
 * The meaning of a push service's answer.
 *
 * @param retryAfter its `Retry-After`: seconds, or a date
 */
export function resultOf(status: number, retryAfter?: string): DeliveryResult {
  if (status >= 200 && status < 300) return { outcome: 'taken', status };
  if (status === 404 || status === 410) return { outcome: 'gone', status };
  if (status === 413) return { outcome: 'too_large', status };
  // 401 and 403: our clock, or a problem with our key at the service; it passes, or the notice expires.
  if (status === 429 || status >= 500 || status === 401 || status === 403) {
    const waitMs = waitOf(retryAfter);
    return { outcome: 'later', status, ...(waitMs !== undefined && { waitMs }) };
  }
  return { outcome: 'refused', status };
}

function waitOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const ms = /^\d{1,6}$/.test(retryAfter.trim())
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), WAIT_MS_MAX) : undefined;
}

const SENDER_IN_FLIGHT_MAX = 8;
const POLL_MS = 1_000;
const CLEANUP_MS = 5_000;
/** Time for notices in flight when closing; the rest is sent again later. */
const FINISH_MS = 3_000;
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 300_000;
const TOPIC_LENGTH = 32;

/** Sends waiting notices; any number of senders may run. */
export type PushSender = {
  wake: () => void;
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
        polls.wake();
      });
    inFlight.add(work);
  };
  const reportError = (error: unknown) => void (isTransient(error) || deps.report(error));
  const poll = async () => {
    if (performance.now() - cleanedAtMs > CLEANUP_MS) {
      cleanedAtMs = performance.now();
      await dropSuperseded(deps.allAccountsSql);
    }
    while (!closed && inFlight.size < SENDER_IN_FLIGHT_MAX) {
      const due = await claimDue(deps.allAccountsSql, circuitBreaker.blocked());
      if (!due) return;
      send(due);
    }
  };
  const polls = repeat(poll, POLL_MS, deps.report);
  return {
    wake: polls.wake,
    drain: async () => {
      polls.wake();
      while (polls.running() || inFlight.size > 0)
        await Promise.all([polls.running(), ...inFlight]);
    },
    close: async () => {
      closed = true;
      const deadline = setTimeout(() => closing.abort(), FINISH_MS);
      await polls.close();
      await Promise.all(inFlight);
      clearTimeout(deadline);
    },
  };
}

async function sendOne(
  deps: PushDeps,
  due: Due,
  signal: AbortSignal,
): Promise<DeliveryResult | undefined> {
  const { allAccountsSql, secrets, onOutcome } = deps;
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
  // A message that was read while the service was down needs no notice.
  const shouldSend = settings.push_on && isFor(due) && !(due.seen && due.attempt > 1);
  if (!shouldSend || due.seconds_left === 0) {
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
  await storeResult(deps, due, result);
  return result;
}

/** Operators get notices without a message only, those for all or for one of their roles. */
const isFor = ({ role, token_id, roles, operator_roles }: Due): boolean =>
  role === 'customer' ||
  (token_id === null && (roles === null || roles.some((one) => operator_roles.includes(one))));

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

async function storeResult(deps: PushDeps, due: Due, result: DeliveryResult): Promise<void> {
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
          isRequested: waitMs !== undefined,
        }))
      )
        onOutcome('given_up');
      return undefined;
  }
}

/**
 * The wait after a failed try: 2 s, doubled each time up to five minutes, give or take 20 %.
 *
 * @param attempt number of the failed try, from 1
 */
export const waitAfter = (attempt: number, random?: number): number =>
  backoff(attempt, { first: FIRST_WAIT_MS, max: LONGEST_WAIT_MS, spread: 0.2 }, random);

/** Short, because a person waits for the answer. */
const TRY_MS = 8_000;
const TTL_SECONDS = 60;

/** Sends a notice now, without the queue, so that the answer reports the result. */
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
