import type { Failure, MessageType } from '#contract/messages.ts';
import type { Channel, Outgoing, SendResult } from '#server/domains/channels/channels.ts';
import { type Sql, retrying } from '#server/platform/database.ts';

/** A claimed lane: ours while the epoch stands. */
export type Claim = { accountId: string; tokenId: string; epoch: number };

export type LaneTools = {
  sql: Sql;
  channel: Channel;
  /** The linked phone that sends. */
  from: string;
  /** Milliseconds between two messages leaving; 0: no pacing. */
  paceMs: number;
  /** Aborted when the lane must be given up: the lease is lost, or the house closes. */
  signal: AbortSignal;
};

/** Messages of one lane on their way at once: they leave in order, answers may overtake each other. */
const WINDOW = 64;
/** Results wait this long for company before they are settled. */
const GATHER_MS = 30;
/** Tries after which a "later" becomes a failure. */
const TRIES_MAX = 8;
/** An unsure message waits this many times the channel's time-out for a receipt, then is tried once more. */
const UNKNOWN_WAITS = 2;

type Dispatched = {
  o_id: string;
  o_peer: string;
  o_type: MessageType;
  o_body: Record<string, unknown>;
  o_secret: string | null;
  o_attempt: number;
  o_unknowns: number;
  o_expired: boolean;
};

type Settled = {
  kind: 'settled';
  id: string;
  outcome: 'sent' | 'failed' | 'expired';
  failure: Failure | null;
  at: Date;
  duplicate: boolean;
};
type Postponed = {
  kind: 'postponed';
  id: string;
  state: 'ready' | 'unknown';
  afterMs: number;
  detail: string;
};
type Result = Settled | Postponed;

/**
 * Sends what waits in a lane until nothing is due, in order, at most one message per phone on its way.
 * Results are settled in batches: captured on sent, given back on failed.
 *
 * @throws PostgresError `LN001` when another worker has taken the lane: nothing more is written.
 */
export async function runLane(tools: LaneTools, claim: Claim): Promise<void> {
  const { sql, channel, signal } = tools;
  await sql`select recover_lane(
    ${claim.accountId}, ${claim.tokenId}, ${claim.epoch}, ${channel.preallocates},
    ${channel.timeoutMs * UNKNOWN_WAITS}
  )`;
  const results: Result[] = [];
  const onWay = new Set<Promise<void>>();
  let nextLeave = 0;
  for (;;) {
    const room = WINDOW - onWay.size;
    const due = signal.aborted || room < WINDOW / 2 ? [] : await claimDue(sql, claim, room);
    for (const message of due) {
      nextLeave = await paced(nextLeave, tools.paceMs, signal);
      const sending = attempt(tools, claim, message)
        .then((result) => void results.push(result))
        .finally(() => onWay.delete(sending));
      onWay.add(sending);
    }
    if (onWay.size > 0) await someDone(onWay);
    if (results.length > 0) await settle(sql, claim, results.splice(0));
    else if (due.length === 0 && onWay.size === 0) return;
  }
}

const claimDue = (sql: Sql, { accountId, tokenId, epoch }: Claim, room: number) =>
  sql<Dispatched[]>`
    select * from claim_dispatch(${accountId}, ${tokenId}, ${epoch}, ${room})`;

/** Waits until the next message may leave; answers when the one after it may. */
async function paced(next: number, paceMs: number, signal: AbortSignal): Promise<number> {
  if (paceMs === 0) return 0;
  const now = performance.now();
  if (next > now) await pause(next - now, signal);
  return Math.max(next, now) + paceMs;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}

/** Waits for the first answer, then a little for its neighbours. */
async function someDone(onWay: ReadonlySet<Promise<void>>): Promise<void> {
  await Promise.race(onWay);
  if (onWay.size === 0) return;
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, GATHER_MS);
  await Promise.race([Promise.all(onWay), enough]);
  clearTimeout(timer);
}

/** One try of one message; never throws: silence and errors of the channel are an unknown outcome. */
async function attempt(tools: LaneTools, claim: Claim, message: Dispatched): Promise<Result> {
  const { channel } = tools;
  const settled = (outcome: Settled['outcome'], failure: Failure | null): Settled => ({
    kind: 'settled',
    id: message.o_id,
    outcome,
    failure,
    at: new Date(),
    duplicate: message.o_unknowns > 0 && !channel.preallocates,
  });
  if (message.o_expired && message.o_unknowns === 0) return settled('expired', null);
  if (message.o_unknowns > 1) return settled('failed', 'no_answer');

  const answer = await sendOnce(tools, outgoing(tools, claim, message));
  if (answer === 'unknown') {
    const afterMs = channel.timeoutMs * UNKNOWN_WAITS;
    return { kind: 'postponed', id: message.o_id, state: 'unknown', afterMs, detail: 'no_answer' };
  }
  if (answer.outcome === 'sent') return settled('sent', null);
  if (answer.outcome === 'failed') return settled('failed', answer.failure);
  if (message.o_attempt >= TRIES_MAX) return settled('failed', answer.failure);
  const { afterMs, failure } = answer;
  return { kind: 'postponed', id: message.o_id, state: 'ready', afterMs, detail: failure };
}

const outgoing = (tools: LaneTools, claim: Claim, message: Dispatched): Outgoing => ({
  accountId: claim.accountId,
  tokenId: claim.tokenId,
  messageId: message.o_id,
  from: tools.from,
  to: message.o_peer,
  type: message.o_type,
  body: message.o_body,
  ...(message.o_secret !== null && { text: message.o_secret }),
  possibleDuplicate: message.o_unknowns > 0 && !tools.channel.preallocates,
  attempt: message.o_attempt,
});

async function sendOnce(
  { channel }: LaneTools,
  message: Outgoing,
): Promise<SendResult | 'unknown'> {
  const gaveUp = new AbortController();
  const { promise: silence, resolve } = Promise.withResolvers<'unknown'>();
  const timer = setTimeout(() => {
    gaveUp.abort();
    resolve('unknown');
  }, channel.timeoutMs);
  try {
    const answer = channel.send(message, gaveUp.signal).catch(() => 'unknown' as const);
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}

async function settle(sql: Sql, claim: Claim, results: readonly Result[]): Promise<void> {
  const { accountId, tokenId, epoch } = claim;
  const done = results.filter((result) => result.kind === 'settled');
  if (done.length > 0) {
    await retrying(
      () => sql`select count(*) from settle_batch(
        ${accountId}, ${tokenId}, ${epoch},
        ${done.map(({ id }) => id)}::uuid[],
        ${done.map(({ outcome }) => outcome)}::text[],
        ${done.map(({ failure }) => failure)}::text[],
        ${done.map(({ at }) => at.toISOString())}::text[]::timestamptz[],
        ${done.map(({ duplicate }) => (duplicate ? 't' : 'f'))}::text[]::boolean[]
      )`,
    );
  }
  const back = results.filter((result) => result.kind === 'postponed');
  if (back.length > 0) {
    await retrying(
      () => sql`select postpone_dispatch(
        ${accountId}, ${tokenId}, ${epoch},
        ${back.map(({ id }) => id)}::uuid[],
        ${back.map(({ state }) => state)}::text[],
        ${back.map(({ afterMs }) => Math.round(afterMs))}::int[],
        ${back.map(({ detail }) => detail)}::text[]
      )`,
    );
  }
}
