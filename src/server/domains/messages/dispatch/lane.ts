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

const TUNING = {
  /** Tries of a lane at once whose answers are still expected: they leave in order. */
  windowMax: 64,
  /** A try without an answer for this long is silent: it blocks its own number, but no slot of the window. */
  silentAfterMs: 250,
  /** Tries at once, silent ones included: many numbers may be silent before others have to wait. */
  inFlightMax: 512,
  /** In a channel with pauses, a full window begins no more tries after this long without an answer. */
  suspectAfterMs: 2_000,
  /** Extra slots for one-time codes, beyond both limits: they leave at once from a full lane. */
  urgentSlots: 16,
  /** Results wait this long for each other; then they are gathered with those of other lanes. */
  batchWindowMs: 10,
  /** At this pace, or slower, messages leave one by one. */
  oneByOneMs: 50,
  /**
   * At a faster pace, messages that are late by up to this leave together: claiming and settling take longer than the
   * interval between two messages.
   */
  catchUpMs: 100,
  /** Interval of polling while answers are expected: the longest delay after a lost wake-up. */
  pollMs: 250,
  /** Polling takes at most 1/20 of a lane's time, however much waits behind silent numbers. */
  pollShare: 20,
  /** Limit of the interval that `pollShare` lengthens. */
  pollMaxMs: 2_000,
  /** Interval with silent numbers only: the lane is woken, and has the time of the next due message. */
  quietPollMs: 2_000,
  /** At least this long for each lane of the worker: 512 quiet lanes poll 20 times a second. */
  quietPollPerLaneMs: 50,
  /**
   * A worker keeps a drained lane this long: claiming and releasing it for every message took longer than
   * sending it. Shorter than a lease, so that a crash delays it no longer than a busy lane.
   */
  lingerMs: 10_000,
  /** Above this many lanes a worker releases drained ones at once, to make room for others. */
  lingerLanesMax: 256,
} as const;

/** Each state has one action (`#actions`); the event found after it leads to the next state. */
const transitions = {
  /** Claims due messages and begins their tries, unless the lane must stop. */
  claiming: {
    answered: 'settling',
    paused: 'ended',
    free: 'claiming',
    silent: 'scheduling',
    busy: 'waiting',
    drained: 'lingering',
    finished: 'ended',
  },
  /** Begins to settle results, with those that arrive shortly after; the lane goes on meanwhile. */
  settling: { done: 'claiming' },
  /** Reads when the next message is due: only silent numbers are in flight. */
  scheduling: { done: 'claiming' },
  /** Sleeps until an answer, a wake-up, or the time of the next poll. */
  waiting: { done: 'claiming' },
  /** Sleeps with an empty queue, ready for new work. */
  lingering: { woken: 'claiming', finished: 'ended' },
  /** Also after an error in any state. */
  ended: {},
} as const;
type State = keyof typeof transitions;
type Event = { [S in State]: keyof (typeof transitions)[S] }[State];

function stateAfter(state: State, event: Event): State {
  const { [event]: next }: Partial<Record<Event, State>> = transitions[state];
  if (!next) throw new Error(`a lane has no transition from ${state} by ${event}`);
  return next;
}

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
  /** Results that are being settled, and how many. */
  readonly #settlements = new Map<Promise<void>, number>();
  #failure: { error: unknown } | undefined;
  #state: State = 'claiming';
  #tries = 0;
  /** Something may be due; a one-time code may be due. */
  #mayBeDue = true;
  #mayBeUrgent = true;
  #nextLeave = 0;
  #nextDue = Infinity;
  #polledAt = 0;
  #knowsNext = false;
  #pollMs: number = TUNING.pollMs;
  #isDrained = false;
  #answeredAt = 0;
  #stillUntil = 0;
  /** Its number was paused: in every state, messages are tried one by one until the network has answered. */
  #isProbing: boolean;
  #wakeUp: (() => void) | undefined;

  constructor(context: LaneContext, claim: Claim) {
    this.#context = context;
    this.#claim = claim;
    this.#isProbing = context.isProbe ?? false;
  }

  readonly wake = () => {
    this.#expectWork();
    this.#wakeUp?.();
    return this.#state !== 'ended';
  };

  readonly isQuiet = () =>
    this.#state === 'lingering' ||
    (this.#inFlight.size > 0 &&
      this.#settlements.size === 0 &&
      !this.#mayBeDue &&
      this.#expected() === 0);

  readonly stillMs = () => Math.max(0, this.#stillUntil - performance.now());

  readonly #actions: Record<Exclude<State, 'ended'>, () => Promise<unknown>> = {
    claiming: () => this.#send(),
    settling: () => this.#collect().then(() => this.#beginSettling()),
    scheduling: () => this.#findNext(),
    waiting: () => this.#pause(this.#idleMs()),
    lingering: () => this.#sleep(TUNING.lingerMs),
  };

  async run(): Promise<number> {
    const { signal } = this.#context;
    const stop = () => this.#wakeUp?.();
    signal.addEventListener('abort', stop);
    try {
      while (this.#state !== 'ended') {
        await this.#actions[this.#state]();
        if (this.#failure) throw this.#failure.error;
        this.#state = stateAfter(this.#state, this.#findEvent());
      }
      return this.#tries;
    } catch (error) {
      if (!(error instanceof LaneLost)) await this.#settleInFlight();
      await Promise.all(this.#settlements.keys());
      throw error;
    } finally {
      this.#state = 'ended';
      signal.removeEventListener('abort', stop);
    }
  }

  /** Synchronous, so that no answer and no wake-up is lost between an action and the next one. */
  #findEvent(): Event {
    const isStopping = this.#context.signal.aborted;
    if (this.#state === 'lingering') return this.#mayBeDue && !isStopping ? 'woken' : 'finished';
    if (this.#state !== 'claiming') return 'done';
    if (this.#results.length > 0) return 'answered';
    if (this.#inFlight.size + this.#settlements.size === 0 && this.stillMs() > 0) return 'paused';
    if (!isStopping && this.#freeSlots(performance.now()).limit > 0) return 'free';
    if (!isStopping && !this.#knowsNext && this.isQuiet()) return 'silent';
    if (this.#inFlight.size + this.#settlements.size > 0 || (this.#mayBeDue && !isStopping)) {
      return 'busy';
    }
    const hasRoom = this.#context.lanes() <= TUNING.lingerLanesMax;
    return this.#isDrained && hasRoom && !isStopping ? 'drained' : 'finished';
  }

  #expectWork() {
    this.#mayBeDue = true;
    this.#mayBeUrgent = true;
  }

  /** After an error: an unsettled message would be sent again by the next owner. */
  async #settleInFlight() {
    await Promise.all(this.#inFlight.keys());
    if (this.#results.length > 0) await this.#settle();
  }

  async #send() {
    if (this.#context.signal.aborted) return;
    const now = performance.now();
    if (now >= this.#nextDue) {
      this.#nextDue = Infinity;
      this.#expectWork();
    }
    const { limit, isUrgent } = this.#freeSlots(now);
    if (limit === 0) return;
    this.#mayBeUrgent = false;
    if (!isUrgent) this.#mayBeDue = false;
    this.#polledAt = now;
    this.#knowsNext = false;
    const { claimMessages, from } = this.#context;
    const query = { claim: this.#claim, from, limit, isUrgent };
    const { due, isDrained } = await claimMessages(query);
    this.#isDrained = isDrained;
    const { pollMs, pollMaxMs, pollShare } = TUNING;
    const tookMs = performance.now() - now;
    this.#pollMs = Math.min(pollMaxMs, Math.max(pollMs, pollShare * tookMs));
    if (due.length === 0) return;
    if (due.length === limit && isUrgent) this.#mayBeUrgent = true;
    else if (due.length === limit && !this.#isDrained) this.#mayBeDue = true;
    const earliest = performance.now() - this.#catchUpMs();
    this.#nextLeave = Math.max(this.#nextLeave, earliest) + due.length * this.#context.paceMs;
    this.#tries += due.length;
    for (const message of due) this.#begin(message);
  }

  /** Number of messages that may leave now; with a full window, one-time codes only. */
  #freeSlots(now: number): { limit: number; isUrgent: boolean } {
    const atPace = this.#mayLeave(now);
    const inFlight = this.#inFlight.size;
    if (atPace === 0 || this.stillMs() > 0 || this.#isSuspect(now)) {
      return { limit: 0, isUrgent: false };
    }
    if (this.#isProbing) {
      const isProbed = inFlight + this.#results.length + this.#unsettled() > 0;
      return { limit: this.#mayBeDue && !isProbed ? 1 : 0, isUrgent: false };
    }
    const { windowMax, inFlightMax, urgentSlots } = TUNING;
    const slots = Math.min(
      windowMax - this.#expected() - this.#unsettled(),
      inFlightMax - inFlight,
    );
    // With a pace, claimed messages leave at once, and are settled while the next ones wait.
    if (this.#mayBeDue && slots >= (atPace < Infinity ? 1 : windowMax / 2)) {
      return { limit: Math.min(slots, atPace), isUrgent: false };
    }
    const beyond = inFlightMax + windowMax - inFlight;
    const limit = this.#mayBeUrgent ? Math.min(urgentSlots, atPace, beyond) : 0;
    return { limit: Math.max(0, limit), isUrgent: true };
  }

  #mayLeave(now: number): number {
    const { paceMs } = this.#context;
    if (paceMs === 0) return Infinity;
    const lateMs = now - this.#nextLeave;
    return lateMs < 0 ? 0 : 1 + Math.floor(Math.min(lateMs, this.#catchUpMs()) / paceMs);
  }

  #catchUpMs = () => (this.#context.paceMs < TUNING.oneByOneMs ? TUNING.catchUpMs : 0);

  #expected(): number {
    const silentSince = performance.now() - TUNING.silentAfterMs;
    let expected = 0;
    for (const since of this.#inFlight.values()) if (since > silentSince) expected += 1;
    return expected;
  }

  /** The network may be down: so many tries are silent that no more begin before an answer. */
  #isSuspect(now: number): boolean {
    if (!this.#context.channel.pauses || this.#inFlight.size < TUNING.windowMax) return false;
    return now - this.#answeredAt > TUNING.suspectAfterMs && this.#expected() < this.#inFlight.size;
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
    const end = performance.now() + TUNING.batchWindowMs;
    for (;;) {
      const leftMs = end - performance.now();
      const nextLeaveMs = this.#mayBeDue && this.#context.paceMs > 0 ? this.#nextLeaveMs() : leftMs;
      if (leftMs <= 0 || nextLeaveMs <= 0 || this.#expected() === 0) return;
      await this.#pause(Math.min(leftMs, nextLeaveMs));
    }
  }

  #unsettled(): number {
    let unsettled = 0;
    for (const count of this.#settlements.values()) unsettled += count;
    return unsettled;
  }

  #beginSettling() {
    const { length } = this.#results;
    const settlement = this.#settle()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#settlements.delete(settlement);
        this.#wakeUp?.();
      });
    this.#settlements.set(settlement, length);
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
    if (remainingMs !== undefined) return this.#standStill(remainingMs);
    this.#isProbing = false;
    await deferUnsure(sql, this.#claim, null);
    this.#mayBeDue = true;
  }

  /** The first message that was not due at the last poll. */
  async #findNext() {
    this.#knowsNext = true;
    const queriedAt = performance.now();
    const { accountId, tokenId } = this.#claim;
    const [next] = await this.#context.sql<{ in_ms: number | null }[]>`
      select extract(epoch from min(ready_at) - clock_timestamp())::float8 * 1000 as in_ms
      from dispatch
      where account_id = ${accountId} and token_id = ${tokenId} and state in ('ready', 'unknown')
        and ready_at > clock_timestamp()
          - ${queriedAt - this.#polledAt}::float8 * interval '1 millisecond'`;
    this.#nextDue = Math.min(this.#nextDue, queriedAt + (next?.in_ms ?? Infinity));
  }

  #nextLeaveMs = () => this.#nextLeave - performance.now();

  #idleMs(): number {
    const { paceMs, lanes } = this.#context;
    if (this.#inFlight.size === 0) {
      const leaveInMs = this.#nextLeaveMs();
      const waits = this.#settlements.size > 0 && (!this.#mayBeDue || leaveInMs <= 0);
      return waits ? this.#pollMs : leaveInMs;
    }
    if (this.#isProbing || this.stillMs() > 0) return TUNING.quietPollMs;
    const dueInMs = this.#nextDue - performance.now();
    const leaveInMs = paceMs > 0 && this.#mayBeDue ? this.#nextLeaveMs() : Infinity;
    const quietMs = Math.max(TUNING.quietPollMs, TUNING.quietPollPerLaneMs * lanes());
    return Math.min(this.#expected() > 0 ? this.#pollMs : quietMs, dueInMs, leaveInMs);
  }

  async #pause(ms: number) {
    if (await this.#sleep(Math.max(1, ms))) this.#expectWork();
  }

  /** Until a wake-up; true when none came within `ms`. */
  async #sleep(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#wakeUp = () => resolve(false);
    const timer = setTimeout(resolve, ms, true);
    const isOver = await promise;
    clearTimeout(timer);
    this.#wakeUp = undefined;
    return isOver;
  }
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
const GATHER = { waitMs: 30, pauseMs: 2, enough: 16, sizeMax: 64 };

type Row = { o_nth: number } & (
  | ({ o_state: null } & Dispatched)
  | { o_state: 'lost' | 'away' | 'drained' }
);

type ClaimDeps = {
  sql: Sql;
  tracing?: Tracing | undefined;
};

export function openClaimMessages({ sql, tracing }: ClaimDeps): ClaimMessages {
  const claimMessages = gather<ClaimQuery, ClaimedMessages | 'lost'>(async (queries) => {
    const began = performance.now();
    const rows = await claim(sql, queries);
    tracing?.did({ operation: 'claim', began, steps: rows.flatMap(stepOf) });
    const byNth = Map.groupBy(rows, ({ o_nth }) => o_nth);
    return queries.map((_, index) => claimedFrom(byNth.get(index + 1)));
  }, GATHER);
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

const stepOf = (row: Row) =>
  row.o_state === null ? [{ messageId: row.o_id, attempt: row.o_attempt }] : [];

const claim = (sql: Sql, queries: readonly ClaimQuery[]) => sql<Row[]>`
  select * from claim_messages(
    ${queries.map((_, index) => index + 1)}::int[],
    ${queries.map(({ claim }) => claim.accountId)}::uuid[],
    ${queries.map(({ claim }) => claim.tokenId)}::uuid[],
    ${queries.map(({ claim }) => claim.epoch)}::bigint[],
    ${queries.map(({ limit }) => limit)}::int[],
    ${queries.map(({ isUrgent }) => isUrgent)}::boolean[],
    ${queries.map(({ from }) => from)}::text[]
  )`;
