import type { Log } from '#server/infra/observability/log.ts';
import {
  type AttemptContext,
  type Claim,
  type Dispatched,
  LaneLost,
  type Result,
  attempt,
} from './attempt.ts';
import { type Settle, deferUnsure, settleResults } from './settle.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { gather } from '#server/infra/postgres/gather.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';

export type LaneContext = AttemptContext & {
  log: Log;
  settle: Settle;
  claimMessages: ClaimMessages;
  /** Milliseconds between two messages; 0: no pacing. */
  paceMs: number;
  lanes: () => number;
  /** Aborted when the lane must stop: the lease is lost, or the process closes. */
  signal: AbortSignal;
};

/** Tries of one lane at once whose answers are still expected: they leave in order. */
const WINDOW = 64;
/**
 * A try without an answer for this long is silent: it blocks its own number, but no slot of the window.
 */
const SILENT_AFTER_MS = 250;
const IN_FLIGHT_MAX = 512;
/** A full window without an answer for this long begins no more tries, in a channel with pauses. */
const SUSPECT_AFTER_MS = 2_000;
/** Extra slots for one-time codes, beyond both limits. */
const URGENT_SLOTS = 16;
/**
 * A lane's results wait this long for each other; then they are gathered with those of other lanes.
 */
const BATCH_WINDOW_MS = 10;
/** At this pace, or slower, messages leave one by one. */
const ONE_BY_ONE_MS = 50;
/**
 * At a faster pace, messages that are late by up to this leave together: claiming and settling take longer than the
 * interval between two messages.
 */
const CATCH_UP_MS = 100;
const POLL_MS = 250;
/**
 * Polling takes at most 1/20 of a lane's time, regardless of how much waits behind silent numbers.
 */
const POLL_SHARE = 20;
const POLL_MS_MAX = 2_000;
/**
 * A lane that only waits for silent numbers is woken for new work and has the time of the next due message: it polls at
 * this interval, plus the second one for every lane that its worker runs.
 */
const QUIET_POLL_MS = 2_000;
const QUIET_POLL_MS_PER_LANE = 50;
/**
 * A drained lane stays with its worker this long: claiming and releasing it for every message took longer than sending
 * it. Shorter than a lease, so that a crash delays it no longer than a busy lane.
 */
const LINGER_MS = 3_000;
/** Above this many lanes a worker releases drained ones at once, to make room for others. */
const LINGER_LANES_MAX = 256;

export type LaneRun = {
  /** There may be new work: poll now. False when the run has ended and was not woken. */
  wake: () => boolean;
  isQuiet: () => boolean;
  stillMs: () => number;
  /** Resolves with the number of tries when nothing more is due or in flight. */
  done: Promise<number>;
};

/**
 * Sends a lane's messages until nothing more is due, in order, at most one message per phone in flight. While tries
 * wait for their answers, new messages to other phones leave at once. Results are settled in batches.
 * `done` answers 0 when all due messages wait for an earlier one to their phone. It rejects with LaneLost when another
 * worker has taken the lane: nothing more is written.
 */
export function runLane(context: LaneContext, claim: Claim): LaneRun {
  const lane = new Lane(context, claim);
  return { wake: lane.wake, isQuiet: lane.isQuiet, stillMs: lane.stillMs, done: lane.run() };
}

class Lane {
  readonly #context: LaneContext;
  readonly #claim: Claim;
  readonly #inFlight = new Map<Promise<void>, number>();
  readonly #results: Result[] = [];
  #tries = 0;
  /** Something may be due; a one-time code may be due. */
  #mayBeDue = true;
  #mayBeUrgent = true;
  #nextLeave = 0;
  #nextDue = Infinity;
  #polledAt = 0;
  #knowsNext = false;
  #pollMs = POLL_MS;
  #isDrained = false;
  #isAway = false;
  #isLingering = false;
  #isOver = false;
  #answeredAt = 0;
  #stillUntil = 0;
  /** Its number was paused: messages are tried one by one until the network has answered. */
  #isProbing: boolean;
  #wakeUp: (() => void) | undefined;

  constructor(context: LaneContext, claim: Claim) {
    this.#context = context;
    this.#claim = claim;
    this.#isProbing = context.isProbe ?? false;
  }

  readonly wake = () => {
    this.#mayBeDue = true;
    this.#mayBeUrgent = true;
    this.#wakeUp?.();
    return !this.#isOver;
  };

  readonly isQuiet = () =>
    this.#isLingering || (this.#inFlight.size > 0 && !this.#mayBeDue && this.#expected() === 0);

  readonly stillMs = () => Math.max(0, this.#stillUntil - performance.now());

  async run(): Promise<number> {
    const { signal } = this.#context;
    const stop = () => this.#wakeUp?.();
    signal.addEventListener('abort', stop);
    try {
      for (;;) {
        if (!signal.aborted) await this.#send();
        if (this.#results.length > 0) {
          await this.#collect();
          await this.#settle();
          continue;
        }
        if (this.stillMs() > 0 && this.#inFlight.size === 0) return this.#tries;
        if (!signal.aborted && this.#freeSlots(performance.now()).limit > 0) continue;
        if (this.isQuiet() && !this.#knowsNext && !signal.aborted) {
          await this.#findNext();
          continue;
        }
        if (this.#inFlight.size > 0 || (this.#mayBeDue && !signal.aborted)) {
          await this.#pause(this.#idleMs());
        } else if (!(await this.#linger())) {
          return this.#tries;
        }
      }
    } catch (error) {
      if (!(error instanceof LaneLost)) await this.#settleInFlight();
      throw error;
    } finally {
      this.#isOver = true;
      signal.removeEventListener('abort', stop);
    }
  }

  /**
   * Before the lane ends with an error: an unsettled message would be sent again by the next owner.
   */
  async #settleInFlight() {
    await Promise.all(this.#inFlight.keys());
    if (this.#results.length > 0) await this.#settle();
  }

  async #send() {
    const now = performance.now();
    if (now >= this.#nextDue) {
      this.#nextDue = Infinity;
      this.#mayBeDue = true;
      this.#mayBeUrgent = true;
    }
    const { limit, isUrgent } = this.#freeSlots(now);
    if (limit === 0) return;
    this.#mayBeUrgent = false;
    if (!isUrgent) this.#mayBeDue = false;
    this.#polledAt = now;
    this.#knowsNext = false;
    const { claimMessages, from } = this.#context;
    const { due, ...found } = await claimMessages({ claim: this.#claim, from, limit, isUrgent });
    this.#isDrained = found.isDrained;
    this.#isAway = found.isAway;
    const tookMs = performance.now() - now;
    this.#pollMs = Math.min(POLL_MS_MAX, Math.max(POLL_MS, POLL_SHARE * tookMs));
    if (due.length === 0) return;
    if (due.length === limit && isUrgent) this.#mayBeUrgent = true;
    else if (due.length === limit && !this.#isDrained) this.#mayBeDue = true;
    this.#left(due.length);
    this.#tries += due.length;
    for (const message of due) this.#begin(message);
  }

  /** Number of messages that may leave now; with a full window, one-time codes only. */
  #freeSlots(now: number): { limit: number; isUrgent: boolean } {
    const atPace = this.#mayLeave(now);
    const inFlight = this.#inFlight.size;
    const isProbed = inFlight + this.#results.length > 0;
    const mayBegin = this.#isProbing ? !isProbed : !this.#isSuspect(now);
    if (atPace === 0 || this.stillMs() > 0 || !mayBegin) return { limit: 0, isUrgent: false };
    if (this.#isProbing) return { limit: this.#mayBeDue ? 1 : 0, isUrgent: false };
    const slots = Math.min(WINDOW - this.#expected(), IN_FLIGHT_MAX - inFlight);
    // With a pace, claimed messages leave at once, and are settled while the next ones wait.
    if (this.#mayBeDue && slots >= (atPace < Infinity ? 1 : WINDOW / 2)) {
      return { limit: Math.min(slots, atPace), isUrgent: false };
    }
    const beyond = IN_FLIGHT_MAX + WINDOW - inFlight;
    const urgentSlots = this.#mayBeUrgent ? Math.min(URGENT_SLOTS, atPace, beyond) : 0;
    return { limit: Math.max(0, urgentSlots), isUrgent: true };
  }

  #mayLeave(now: number): number {
    const { paceMs } = this.#context;
    if (paceMs === 0) return Infinity;
    const lateMs = now - this.#nextLeave;
    return lateMs < 0 ? 0 : 1 + Math.floor(Math.min(lateMs, this.#catchUpMs()) / paceMs);
  }

  #left(messages: number) {
    const earliest = performance.now() - this.#catchUpMs();
    this.#nextLeave = Math.max(this.#nextLeave, earliest) + messages * this.#context.paceMs;
  }

  #catchUpMs = () => (this.#context.paceMs < ONE_BY_ONE_MS ? CATCH_UP_MS : 0);

  #expected(): number {
    const silentSince = performance.now() - SILENT_AFTER_MS;
    let expected = 0;
    for (const since of this.#inFlight.values()) if (since > silentSince) expected += 1;
    return expected;
  }

  /**
   * Whether the network may be down: so many tries are silent for so long that no more begin before one is answered.
   */
  #isSuspect(now: number): boolean {
    if (!this.#context.channel.pauses || this.#inFlight.size < WINDOW) return false;
    return now - this.#answeredAt > SUSPECT_AFTER_MS && this.#expected() < this.#inFlight.size;
  }

  #begin(message: Dispatched) {
    const context = { ...this.#context, isProbe: this.#isProbing };
    if (this.#inFlight.size === 0) this.#answeredAt = performance.now();
    const sending = attempt(context, this.#claim, message).then((result) => {
      this.#inFlight.delete(sending);
      this.#results.push(result);
      this.#answeredAt = performance.now();
      if (result.kind === 'postponed') this.#standStill(result.stillMs ?? 0);
      this.#wakeUp?.();
    });
    this.#inFlight.set(sending, performance.now());
  }

  async #collect() {
    const end = performance.now() + BATCH_WINDOW_MS;
    for (;;) {
      const leftMs = end - performance.now();
      const nextLeaveMs = this.#mayBeDue && this.#context.paceMs > 0 ? this.#nextLeaveMs() : leftMs;
      if (leftMs <= 0 || nextLeaveMs <= 0 || this.#expected() === 0) return;
      await this.#pause(Math.min(leftMs, nextLeaveMs));
    }
  }

  async #settle() {
    const results = this.#results.splice(0);
    await settleResults(this.#context, this.#claim, results);
    const now = performance.now();
    for (const result of results) {
      if (result.kind === 'settled') continue;
      this.#nextDue = Math.min(this.#nextDue, now + result.afterMs);
      this.#isDrained = false;
    }
    if (this.#isProbing && this.stillMs() === 0) await this.#endProbing();
    if (!this.#isDrained) this.#mayBeDue = true;
  }

  #standStill(ms: number) {
    this.#stillUntil = Math.max(this.#stillUntil, performance.now() + ms);
  }

  /** Once the network has answered the probe, the others follow: first those that may have left. */
  async #endProbing() {
    const { channel, sql } = this.#context;
    const remainingMs = await channel.pauses?.remainingMs(this.#claim);
    if (remainingMs !== undefined) {
      this.#standStill(remainingMs);
      return;
    }
    this.#isProbing = false;
    await deferUnsure(sql, this.#claim, null);
    this.#mayBeDue = true;
  }

  async #linger(): Promise<boolean> {
    const { lanes, signal } = this.#context;
    if (!this.#isDrained || this.#isAway || signal.aborted || lanes() > LINGER_LANES_MAX)
      return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    this.#isLingering = true;
    const timer = setTimeout(resolve, LINGER_MS);
    await promise;
    clearTimeout(timer);
    this.#isLingering = false;
    this.#wakeUp = undefined;
    return this.#mayBeDue && !signal.aborted;
  }

  async #findNext() {
    this.#knowsNext = true;
    const queriedAt = performance.now();
    const inMs = await nextDueMs(this.#context, this.#claim, queriedAt - this.#polledAt);
    if (inMs !== null) this.#nextDue = Math.min(this.#nextDue, queriedAt + inMs);
  }

  #nextLeaveMs = () => this.#nextLeave - performance.now();

  #idleMs(): number {
    const { paceMs, lanes } = this.#context;
    if (this.#inFlight.size === 0) return this.#nextLeaveMs();
    if (this.#isProbing || this.stillMs() > 0) return QUIET_POLL_MS;
    const dueInMs = this.#nextDue - performance.now();
    const leaveInMs = paceMs > 0 && this.#mayBeDue ? this.#nextLeaveMs() : Infinity;
    const quietMs = Math.max(QUIET_POLL_MS, QUIET_POLL_MS_PER_LANE * lanes());
    return Math.min(this.#expected() > 0 ? this.#pollMs : quietMs, dueInMs, leaveInMs);
  }

  async #pause(ms: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    const timer = setTimeout(
      () => {
        this.#mayBeDue = true;
        this.#mayBeUrgent = true;
        resolve();
      },
      Math.max(1, ms),
    );
    await promise;
    clearTimeout(timer);
    this.#wakeUp = undefined;
  }
}

/**
 * Milliseconds until the first message is due that was not due `pollAgeMs` ago; null without one.
 */
async function nextDueMs(
  { sql }: LaneContext,
  { accountId, tokenId }: Claim,
  pollAgeMs: number,
): Promise<number | null> {
  const [next] = await sql<{ in_ms: number | null }[]>`
    select extract(epoch from min(ready_at) - clock_timestamp())::float8 * 1000 as in_ms
    from dispatch
    where account_id = ${accountId} and token_id = ${tokenId} and state in ('ready', 'unknown')
      and ready_at > clock_timestamp() - ${pollAgeMs}::float8 * interval '1 millisecond'`;
  return next?.in_ms ?? null;
}

type ClaimQuery = {
  claim: Claim;
  from: string;
  limit: number;
  isUrgent: boolean;
};

type ClaimedMessages = {
  due: readonly Dispatched[];
  isDrained: boolean;
  isAway: boolean;
};

/**
 * Claims the next messages of a lane and marks them `sending`. The queries of a process's lanes are gathered.
 *
 * @throws LaneLost when another worker has taken the lane.
 */
export type ClaimMessages = (query: ClaimQuery) => Promise<ClaimedMessages>;

/** Wait of a lane's query for those of other lanes. */
const GATHER = { waitMs: 2, busy: { perSecond: 50, waitMs: 30, enough: 16 } };
const LANES_MAX = 64;

type Row = { o_nth: number } & (
  | ({ o_state: null } & Dispatched)
  | { o_state: 'lost' | 'away' | 'drained' }
);

type ClaimDeps = {
  sql: Sql;
  tracing?: Tracing | undefined;
};

export function openClaimMessages({ sql, tracing }: ClaimDeps): ClaimMessages {
  const claimRows = async (queries: readonly Numbered[]) => {
    const began = performance.now();
    const rows = await claim(sql, queries);
    tracing?.did({ operation: 'claim', began, steps: rows.flatMap(stepOf) });
    return Map.groupBy(rows, ({ o_nth }) => o_nth);
  };
  const claimMessages = gather<ClaimQuery, ClaimedMessages | 'lost'>(
    async (queries) => {
      const numbered = queries.map((query, index) => ({ ...query, nth: index + 1 }));
      const byNth = await claimRows(numbered);
      return numbered.map(({ nth }) => claimedFrom(byNth.get(nth)));
    },
    { ...GATHER, sizeMax: LANES_MAX },
  );
  return async (query) => {
    const claimed = await claimMessages(query);
    if (claimed === 'lost') throw new LaneLost();
    return claimed;
  };
}

function claimedFrom(rows: readonly Row[] = []): ClaimedMessages | 'lost' {
  const states = new Set(rows.map(({ o_state }) => o_state));
  if (states.has('lost')) return 'lost';
  return {
    due: rows.filter((row) => row.o_state === null),
    isDrained: states.has('drained'),
    isAway: states.has('away'),
  };
}

type Numbered = ClaimQuery & { nth: number };

const stepOf = (row: Row) =>
  row.o_state === null ? [{ messageId: row.o_id, attempt: row.o_attempt }] : [];

const claim = (sql: Sql, queries: readonly Numbered[]) => sql<Row[]>`
  select * from claim_messages(
    ${queries.map(({ nth }) => nth)}::int[],
    ${queries.map(({ claim }) => claim.accountId)}::uuid[],
    ${queries.map(({ claim }) => claim.tokenId)}::uuid[],
    ${queries.map(({ claim }) => claim.epoch)}::bigint[],
    ${queries.map(({ limit }) => limit)}::int[],
    ${queries.map(({ isUrgent }) => isUrgent)}::boolean[],
    ${queries.map(({ from }) => from)}::text[]
  )`;
