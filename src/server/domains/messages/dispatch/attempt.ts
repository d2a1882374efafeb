import { channelOfHidden } from '#contract/messages/peer.ts';
import type { Failure, MessageType } from '#contract/messages.ts';
import type { Channel, Outgoing, SendResult } from '#server/domains/channels/channels.ts';
import { AWAIT_MS, type MessageMedia, prepareMedia } from '#server/domains/messages/media.ts';
import { hasOptedOut } from '#server/domains/messages/optouts.ts';
import { StoreAway } from '#server/infra/file-store/file-store.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { type Sql, retrying } from '#server/infra/postgres/database.ts';

/** A claimed lane: ours while its epoch is unchanged. */
export type Claim = { accountId: string; tokenId: string; epoch: number };

export class LaneLost extends Error {
  /** SQLSTATE that the database functions raise for it. */
  static readonly code = 'LN001';
  readonly code = LaneLost.code;

  constructor() {
    super('lane lost');
    this.name = 'LaneLost';
  }
}

export type AttemptContext = {
  sql: Sql;
  channel: Channel;
  media: MessageMedia;
  from: string;
  /** True when its number was paused and this message alone is tried. */
  isProbe?: boolean;
  tracing?: Tracing | undefined;
};

/** Tries after which a "later" becomes a failure. */
const TRIES_MAX = 8;
const UNREAD_RETRY_MS = 5_000;
/** A receipt for a try without an answer is awaited for this many times the channel's time-out. */
const RECEIPT_WAITS = 2;

/** Wait for a receipt after a try without an answer, in milliseconds. */
export const receiptWaitMs = ({ timeoutMs }: Pick<Channel, 'timeoutMs'>): number =>
  timeoutMs * RECEIPT_WAITS;

export type Dispatched = {
  o_id: string;
  o_peer: string;
  o_type: MessageType;
  o_body: Readonly<Record<string, unknown>>;
  o_secret: string | null;
  o_attempt: number;
  o_unknowns: number;
  o_expired: boolean;
  /**
   * Null: it certainly has not left. Else the remaining wait for the receipt of an earlier try, in milliseconds.
   */
  o_unsure_ms: number | null;
};

export type Settled = {
  kind: 'settled';
  id: string;
  outcome: 'sent' | 'failed' | 'expired' | 'cancelled';
  failure: Failure | null;
  at: Date;
};
export type Postponed = {
  kind: 'postponed';
  id: string;
  /**
   * `held`: refused for a reason outside the message; `probed`: unknown, of a number that was paused.
   */
  state: 'ready' | 'held' | 'unknown' | 'probed';
  afterMs: number;
  detail: string;
  stillMs?: number;
  /**
   * Not tried: it waits for the fetch of its link, or, null, for its file, which cannot be read now.
   */
  awaits?: string | null;
};
export type Result = Settled | Postponed;

/**
 * One try of one message; never throws: a time-out or error of the channel is an unknown outcome.
 * A message that may have left is not sent again once its ttl has passed. It ends only after the wait for its receipt:
 * it fails with `no_answer`, and a later receipt corrects that. That it may arrive twice is stored before it is sent
 * again. A recorded outcome of an earlier try that could not be settled is the result: it is not sent again.
 */
export async function attempt(
  context: AttemptContext,
  claim: Claim,
  message: Dispatched,
): Promise<Result> {
  const { o_id: id, o_unsure_ms: unsureMs, o_unknowns: unknowns } = message;
  const { settled, awaitReceipt } = resultsOf(id);
  if (unsureMs !== null) {
    const recorded = await recordedOutcomeOf(context, claim, id).catch(() => 'unread' as const);
    // Send again only when it is certain that no outcome was recorded.
    if (recorded === 'unread') return unread(id);
    if (recorded) return { ...settled(recorded.outcome, recorded.failure), at: recorded.at };
  }
  if (message.o_expired) {
    if (unsureMs === null) return settled('expired', null);
    return unsureMs > 0 ? awaitReceipt(unsureMs) : settled('failed', 'no_answer');
  }
  if (unknowns > 1) return settled('failed', 'no_answer');
  if (message.o_attempt > 1 && unsureMs === null) {
    const isOptedOut = await hasOptedOutSince(context, claim, message).catch(() => undefined);
    if (isOptedOut === undefined) return unread(id);
    if (isOptedOut) return settled('cancelled', null);
  }

  const prepared = await prepareMedia(context, {
    accountId: claim.accountId,
    messageId: id,
    type: message.o_type,
    body: message.o_body,
  }).catch(() => undefined);
  if (!prepared) return unread(id);
  if (prepared.state === 'failed') return settled('failed', prepared.failure);
  if (prepared.state === 'waiting') {
    const { fetchId: awaits } = prepared;
    return { kind: 'postponed', id, state: 'ready', afterMs: AWAIT_MS, detail: '', awaits };
  }
  const { body } = prepared;
  if (canArriveTwice(context, message)) {
    const isMarked = await markResent(context, claim, id).catch(() => false);
    if (!isMarked) return unread(id);
  }
  return tryOnce(context, claim, { ...message, o_body: body });
}

const resultsOf = (id: string) => ({
  settled: (outcome: Settled['outcome'], failure: Failure | null): Settled => ({
    kind: 'settled',
    id,
    outcome,
    failure,
    at: new Date(),
  }),
  awaitReceipt: (afterMs: number): Postponed => ({
    kind: 'postponed',
    id,
    state: 'unknown',
    afterMs,
    detail: 'no_answer',
  }),
});

async function tryOnce(
  context: AttemptContext,
  claim: Claim,
  message: Dispatched,
): Promise<Result> {
  const { channel, tracing } = context;
  const { o_id: id, o_unsure_ms: unsureMs } = message;
  const { settled, awaitReceipt } = resultsOf(id);
  const began = performance.now();
  const answer = await sendOnce(context, outgoing(context, claim, message));
  if (answer === 'unread') {
    return { kind: 'postponed', id, state: 'ready', afterMs: AWAIT_MS, detail: '', awaits: null };
  }
  if (tracing) traceSent(tracing, { began, channel, message, answer });
  if (answer === 'unknown') {
    const isSecond = message.o_unknowns > 0;
    const stillMs = (await channel.pauses?.silent(claim, isSecond)) ?? 0;
    // A missing answer of a paused number does not count against its message.
    const state = context.isProbe || (isSecond && stillMs > 0) ? 'probed' : 'unknown';
    return { ...awaitReceipt(receiptWaitMs(channel)), state, stillMs };
  }
  if (answer.outcome === 'sent') return settled('sent', null);
  const { failure } = answer;
  if (answer.outcome === 'held') return heldBy(answer, message);
  if (answer.outcome === 'later' && message.o_attempt < TRIES_MAX) {
    return { kind: 'postponed', id, state: 'ready', afterMs: answer.afterMs, detail: failure };
  }
  // This try was refused; the outcome of an earlier one is unknown until the wait for its receipt ends.
  return unsureMs === null || unsureMs <= 0 ? settled('failed', failure) : awaitReceipt(unsureMs);
}

/** After this many tries a message of a paused number lets others go first, and by this delay. */
const HELD_TRIES = 2;
const HELD_MS = 2_000;

/**
 * A message of a paused number keeps its position, unless it was refused so often that it may be the cause.
 */
function heldBy(
  { afterMs, failure, stops }: Extract<SendResult, { outcome: 'held' }>,
  { o_id: id, o_attempt: attempt }: Dispatched,
): Postponed {
  const held = { kind: 'postponed', id, state: 'held', detail: failure } as const;
  if (!stops) return { ...held, afterMs };
  const later = attempt > HELD_TRIES ? afterMs + (attempt - HELD_TRIES) * HELD_MS : 0;
  return { ...held, afterMs: later, stillMs: afterMs };
}

/**
 * Whether a phone has opted out since an earlier try of this message: a message in flight is not in the queue for
 * `storeOptout` to cancel. Codes of the installation's own token are still sent.
 */
async function hasOptedOutSince(
  { sql }: AttemptContext,
  claim: Claim,
  { o_id: id, o_peer: peer }: Dispatched,
): Promise<boolean> {
  if (!(await retrying(() => hasOptedOut(sql, claim, peer)))) return false;
  const ownCode = await retrying(
    () => sql`
      select from dispatch d
      join tokens t on t.account_id = d.account_id and t.token_id = d.token_id
      where d.account_id = ${claim.accountId} and d.message_id = ${id}
        and t.is_system and d.priority = 0`,
  );
  return ownCode.length === 0;
}

/** An earlier try may have left, and the channel cannot deduplicate a second one. */
const canArriveTwice = ({ channel }: AttemptContext, message: Dispatched): boolean =>
  message.o_unknowns > 0 && !channel.preallocates;

/** @throws LN001 when the lane is another worker's. */
async function markResent(
  { sql }: AttemptContext,
  { accountId, tokenId, epoch }: Claim,
  id: string,
): Promise<true> {
  await retrying(() => sql`select mark_resent(${accountId}, ${tokenId}, ${epoch}, ${id})`);
  return true;
}

/** Result when data needed before a try could not be read or written. */
export const unread = (id: string): Postponed => ({
  kind: 'postponed',
  id,
  state: 'ready',
  afterMs: UNREAD_RETRY_MS,
  detail: 'no_answer',
});

type RecordedOutcome = Pick<Settled, 'outcome' | 'failure' | 'at'>;

async function recordedOutcomeOf(
  { sql }: AttemptContext,
  { accountId }: Claim,
  id: string,
): Promise<RecordedOutcome | undefined> {
  const [recorded] = await retrying(
    () => sql<RecordedOutcome[]>`
      select outcome, failure, outcome_at as at from dispatch
      where account_id = ${accountId} and message_id = ${id} and outcome is not null`,
  );
  return recorded;
}

const outgoing = (context: AttemptContext, claim: Claim, message: Dispatched): Outgoing => ({
  accountId: claim.accountId,
  tokenId: claim.tokenId,
  messageId: message.o_id,
  from: context.from,
  to: message.o_peer,
  type: message.o_type,
  body: message.o_body,
  ...(message.o_secret !== null && { text: message.o_secret }),
  possibleDuplicate: canArriveTwice(context, message),
  attempt: message.o_attempt,
});

async function sendOnce(
  { channel }: AttemptContext,
  message: Outgoing,
): Promise<SendResult | 'unknown' | 'unread'> {
  // A message accepted for the Cloud API that waited is sent by the token's present channel.
  if ((channelOfHidden(message.to) ?? channel.name) !== channel.name)
    return { outcome: 'failed', failure: 'not_on_whatsapp' };
  const timeout = new AbortController();
  const { promise: timedOut, resolve } = Promise.withResolvers<'unknown'>();
  const timer = setTimeout(() => {
    timeout.abort();
    resolve('unknown');
  }, channel.timeoutMs);
  try {
    return await Promise.race([channel.send(message, timeout.signal), timedOut]);
  } catch (error) {
    return error instanceof StoreAway ? 'unread' : 'unknown';
  } finally {
    clearTimeout(timer);
  }
}

type Sent = {
  began: number;
  channel: Channel;
  message: Dispatched;
  answer: SendResult | 'unknown';
};

/** Records a try; one without an answer counts as failed. */
function traceSent(tracing: Tracing, { began, channel, message, answer }: Sent): void {
  const { o_id: messageId, o_attempt: attempt, o_type: type } = message;
  const { name: of } = channel;
  const outcome = answer === 'unknown' ? answer : answer.outcome;
  const failure = answer === 'unknown' ? 'no_answer' : failureOf(answer);
  tracing.did({
    operation: 'send',
    began,
    steps: [{ messageId, of, channel: of, type, attempt, outcome, failure }],
  });
}

const failureOf = (answer: SendResult): Failure | null =>
  answer.outcome === 'sent' ? null : answer.failure;
