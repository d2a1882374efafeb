import { channelOfHidden } from '#contract/messages/peer.ts';
import type { Failure, MessageType } from '#contract/messages.ts';
import type { Channel, Outgoing, SendResult } from '#server/domains/channels/channels.ts';
import { AWAIT_MS, type MediaOfMessages, prepareMedia } from '#server/domains/messages/media.ts';
import { hasOptedOut } from '#server/domains/messages/optouts/optouts.ts';
import { StoreAway } from '#server/infra/file-store/file-store.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { type Sql, retrying } from '#server/infra/postgres/database.ts';

/** A claimed lane: ours while its epoch is unchanged. */
export type Claim = { accountId: string; tokenId: string; epoch: number };

/** Another worker has taken the lane. */
export class LaneLost extends Error {
  /** What the database's functions raise for the same. */
  static readonly code = 'LN001';
  readonly code = LaneLost.code;

  constructor() {
    super('lane lost');
    this.name = 'LaneLost';
  }
}

/** What an attempt needs of its lane. */
export type AttemptContext = {
  sql: Sql;
  channel: Channel;
  /** The files of messages. */
  media: MediaOfMessages;
  /** The linked phone that sends. */
  from: string;
  /** Its number stood still, and this message is tried alone. */
  isProbe?: boolean;
  tracing?: Tracing | undefined;
};

/** Tries after which a "later" becomes a failure. */
const TRIES_MAX = 8;
/** When a stored outcome cannot be read now, it is read again after this long. */
const UNREAD_RETRY_MS = 5_000;
/** A receipt for a try without an answer is awaited for this many times the channel's time-out. */
const RECEIPT_WAITS = 2;

/** How long a receipt is awaited after a try without an answer. */
export const receiptWaitMs = ({ timeoutMs }: Pick<Channel, 'timeoutMs'>): number =>
  timeoutMs * RECEIPT_WAITS;

/** A message as `claim_messages` hands it out. */
export type Dispatched = {
  o_id: string;
  o_peer: string;
  o_type: MessageType;
  o_body: Readonly<Record<string, unknown>>;
  o_secret: string | null;
  o_attempt: number;
  o_unknowns: number;
  /** Its ttl has passed. */
  o_expired: boolean;
  /** Null: it certainly has not left. Else how long the receipt of an earlier try is still awaited. */
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
  /** `held`: refused for no fault of its own; `probed`: unknown, of a number that stood still. */
  state: 'ready' | 'held' | 'unknown' | 'probed';
  afterMs: number;
  detail: string;
  /** Its number stands still for so long. */
  stillMs?: number;
  /** Nothing was tried: it waits for the fetch of its link, or, null, for its file, which cannot be read now. */
  awaits?: string | null;
};
/** The result of one try. */
export type Result = Settled | Postponed;

/**
 * One try of one message; never throws: a time-out or error of the channel is an unknown outcome.
 *
 * What may have left is not sent again once its ttl has passed, and ends only when its receipt has been
 * awaited in vain: then it fails with `no_answer`, and a later receipt corrects that. That it may arrive twice
 * is stored before it is sent again. A recorded outcome of an earlier try, which could not be settled, is the
 * result: it is not sent again.
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
    // Sent again only when it is certain that no outcome was recorded.
    if (recorded === 'unread') return unread(id);
    if (recorded) return { ...settled(recorded.outcome, recorded.failure), at: recorded.at };
  }
  if (message.o_expired) {
    if (unsureMs === null) return settled('expired', null);
    return unsureMs > 0 ? awaitReceipt(unsureMs) : settled('failed', 'no_answer');
  }
  if (unknowns > 1) return settled('failed', 'no_answer');
  if (message.o_attempt > 1 && unsureMs === null) {
    const isUnwanted = await isUnwantedNow(context, claim, message).catch(() => undefined);
    if (isUnwanted === undefined) return unread(id);
    if (isUnwanted) return settled('cancelled', null);
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
  if (mayArriveTwice(context, message)) {
    const isMarked = await markResent(context, claim, id).catch(() => false);
    if (!isMarked) return unread(id);
  }
  return tryOnce(context, claim, { ...message, o_body: body });
}

/** The results that a message may have. */
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

/** Hands a message to its channel, and says what comes of it. */
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
    // The silence of a number that stands still is no fault of its message.
    const state = context.isProbe || (isSecond && stillMs > 0) ? 'probed' : 'unknown';
    return { ...awaitReceipt(receiptWaitMs(channel)), state, stillMs };
  }
  if (answer.outcome === 'sent') return settled('sent', null);
  const { failure } = answer;
  if (answer.outcome === 'held') return heldBy(answer, message);
  if (answer.outcome === 'later' && message.o_attempt < TRIES_MAX) {
    return { kind: 'postponed', id, state: 'ready', afterMs: answer.afterMs, detail: failure };
  }
  // This try is refused; what an earlier one did is not known before its receipt was awaited.
  return unsureMs === null || unsureMs <= 0 ? settled('failed', failure) : awaitReceipt(unsureMs);
}

/** Tries after which a message whose number stands still lets others be tried first, and how much later it is then. */
const HELD_TRIES = 2;
const HELD_MS = 2_000;

/** A message of a paused number keeps its place, unless it was refused so often that it may be the cause. */
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
 * Whether a phone has opted out since this message was tried before: what was just leaving then is not in the queue
 * for `storeOptout` to cancel. Of the installation's own token codes go on.
 */
async function isUnwantedNow(
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

/** An earlier try may have left, and the channel cannot tell a second one from it. */
const mayArriveTwice = ({ channel }: AttemptContext, message: Dispatched): boolean =>
  message.o_unknowns > 0 && !channel.preallocates;

/** @throws LN001 of a lane that is another worker's. */
async function markResent(
  { sql }: AttemptContext,
  { accountId, tokenId, epoch }: Claim,
  id: string,
): Promise<true> {
  await retrying(() => sql`select mark_resent(${accountId}, ${tokenId}, ${epoch}, ${id})`);
  return true;
}

/** Something could not be read or written that must be before a try. */
export const unread = (id: string): Postponed => ({
  kind: 'postponed',
  id,
  state: 'ready',
  afterMs: UNREAD_RETRY_MS,
  detail: 'no_answer',
});

type RecordedOutcome = Pick<Settled, 'outcome' | 'failure' | 'at'>;

/** The outcome of an earlier try that could not be settled (`store_outcomes`). */
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
  possibleDuplicate: mayArriveTwice(context, message),
  attempt: message.o_attempt,
});

async function sendOnce(
  { channel }: AttemptContext,
  message: Outgoing,
): Promise<SendResult | 'unknown' | 'unread'> {
  // What was placed for the Cloud API and waited leaves by the channel that its token has now.
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
