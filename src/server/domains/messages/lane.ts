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
 * @returns how many tries were made; 0 when all that is due waits for an earlier message to its phone.
 * @throws PostgresError `LN001` when another worker has taken the lane: nothing more is written.
 */
export async function runLane(tools: LaneTools, claim: Claim): Promise<number> {
  const { sql, channel, signal } = tools;
  await sql`select recover_lane(
    ${claim.accountId}, ${claim.tokenId}, ${claim.epoch}, ${channel.preallocates},
    ${channel.timeoutMs * UNKNOWN_WAITS}
  )`;
  const results: Result[] = [];
  const onWay = new Set<Promise<void>>();
  let nextLeave = 0;
  let tries = 0;
  for (;;) {
    // With a pace, one at a time: what is claimed leaves at once and is settled while the next one waits.
    const room = tools.paceMs > 0 ? 1 : WINDOW - onWay.size;
    const wanted = !signal.aborted && (tools.paceMs > 0 ? onWay.size < WINDOW : room >= WINDOW / 2);
    const due = wanted && (await paced(nextLeave, signal)) ? await claimDue(sql, claim, room) : [];
    tries += due.length;
    for (const message of due) {
      const sending = attempt(tools, claim, message)
        .then((result) => void results.push(result))
        .finally(() => onWay.delete(sending));
      onWay.add(sending);
    }
    if (due.length > 0 && tools.paceMs > 0) nextLeave = performance.now() + tools.paceMs;
    const moreWaits = due.length > 0 && tools.paceMs > 0;
    if (onWay.size > 0) await someDone(onWay, moreWaits ? tools.paceMs : undefined);
    if (results.length > 0) await settle(sql, claim, results.splice(0));
    else if (due.length === 0 && onWay.size === 0) return tries;
  }
}

const claimDue = (sql: Sql, { accountId, tokenId, epoch }: Claim, room: number) =>
  sql<Dispatched[]>`
    select * from claim_dispatch(${accountId}, ${tokenId}, ${epoch}, ${room})`;

/** Waits until the next message may leave; false when the lane is given up meanwhile. */
async function paced(nextLeave: number, signal: AbortSignal): Promise<boolean> {
  const wait = nextLeave - performance.now();
  if (wait > 0) await pause(wait, signal);
  return !signal.aborted;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}

/** Waits for the first answer, then a little for its neighbours; for no longer than `atMostMs`. */
async function someDone(onWay: ReadonlySet<Promise<void>>, atMostMs?: number): Promise<void> {
  await (atMostMs === undefined ? Promise.race(onWay) : within(atMostMs, Promise.race(onWay)));
  if (onWay.size > 0) await within(Math.min(GATHER_MS, atMostMs ?? GATHER_MS), Promise.all(onWay));
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, over]);
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
