import { type Claim, type Dispatched, type LaneTools, type Result, attempt } from './attempt.ts';
import { settleResults } from './settle.ts';

/** Tries of one lane at once whose answers are still to be expected: they leave in order. */
const WINDOW = 64;
/** A try without an answer for this long is silent: it holds its own number, and no room in the window. */
const SILENT_AFTER_MS = 250;
/** Tries of one lane under way at once, silent ones included. */
const UNDER_WAY_MAX = 512;
/** One-time codes that may leave at once beyond the window and beyond that. */
const URGENT_ROOM = 16;
/** Results wait this long for company before they are settled. */
const GATHER_MS = 30;
/** How often a lane that expects answers looks for work it was not told of. */
const LOOK_MS = 250;
/** Looking takes at most one part in so many of a lane's time, however much waits behind silent numbers. */
const LOOK_SHARE = 20;
const LOOK_MS_MAX = 2_000;
/**
 * A lane that only waits for silent numbers is told of new work and knows what is due when: it looks this
 * rarely, and this much more rarely for every lane that its worker runs.
 */
const QUIET_LOOK_MS = 2_000;
const QUIET_LOOK_MS_PER_LANE = 50;

/** A lane while it is run, as its worker sees it. */
export type LaneRun = {
  /** There may be new work: look now. False when the run is over: it was not told. */
  wake: () => boolean;
  /** True while nothing but silent tries is under way. */
  isQuiet: () => boolean;
  /** Resolves when nothing is due and under way any more, with the number of tries. */
  done: Promise<number>;
};

/**
 * Sends what waits in a lane until nothing is due, in order, at most one message per phone on its way.
 * While tries wait for their answers, new work to other phones leaves at once. Results are settled in
 * batches.
 *
 * `done` answers 0 when all that is due waits for an earlier message to its phone. It rejects with
 * PostgresError `LN001` when another worker has taken the lane: nothing more is written.
 */
export function runLane(tools: LaneTools, claim: Claim): LaneRun {
  const lane = new Lane(tools, claim);
  return { wake: lane.wake, isQuiet: lane.isQuiet, done: lane.run() };
}

class Lane {
  readonly #tools: LaneTools;
  readonly #claim: Claim;
  /** Since when each try is under way. */
  readonly #underWay = new Map<Promise<void>, number>();
  readonly #results: Result[] = [];
  #tries = 0;
  /** Something may be due; a one-time code may be due. */
  #mayBeDue = true;
  #mayBeUrgent = true;
  /** When the next message may leave, at the lane's pace. */
  #nextLeave = 0;
  /** When the first of what was put back, or is to leave later, is due. */
  #nextDue = Infinity;
  /** When it last looked, and whether it has asked since what is due next. */
  #lookedAt = 0;
  #knowsNext = false;
  #lookMs = LOOK_MS;
  #isOver = false;
  #ring: (() => void) | undefined;

  constructor(tools: LaneTools, claim: Claim) {
    this.#tools = tools;
    this.#claim = claim;
  }

  readonly wake = () => {
    this.#mayBeDue = true;
    this.#mayBeUrgent = true;
    this.#ring?.();
    return !this.#isOver;
  };

  readonly isQuiet = () => this.#underWay.size > 0 && !this.#mayBeDue && this.#expected() === 0;

  async run(): Promise<number> {
    const { signal } = this.#tools;
    const stop = () => this.#ring?.();
    signal.addEventListener('abort', stop);
    try {
      for (;;) {
        if (!signal.aborted) await this.#send();
        if (this.#results.length > 0) {
          await this.#gather();
          await this.#settle();
          continue;
        }
        // Woken while it was looking: look again.
        if (!signal.aborted && this.#room(performance.now()).limit > 0) continue;
        if (this.isQuiet() && !this.#knowsNext && !signal.aborted) {
          await this.#findNext();
          continue;
        }
        if (this.#underWay.size > 0 || (this.#mayBeDue && !signal.aborted)) {
          await this.#pause(this.#restMs());
        } else {
          return this.#tries;
        }
      }
    } finally {
      this.#isOver = true;
      signal.removeEventListener('abort', stop);
    }
  }

  /** Claims what may leave now and begins to send it. */
  async #send() {
    const now = performance.now();
    if (now >= this.#nextDue) {
      this.#nextDue = Infinity;
      this.#mayBeDue = true;
      this.#mayBeUrgent = true;
    }
    const { limit, isUrgent } = this.#room(now);
    if (limit === 0) return;
    this.#mayBeUrgent = false;
    if (!isUrgent) this.#mayBeDue = false;
    this.#lookedAt = now;
    this.#knowsNext = false;
    const due = await claimDue(this.#tools, this.#claim, { limit, isUrgent });
    const tookMs = performance.now() - now;
    this.#lookMs = Math.min(LOOK_MS_MAX, Math.max(LOOK_MS, LOOK_SHARE * tookMs));
    if (due.length === 0) return;
    // A full hand: there may be more of the same.
    if (due.length === limit && isUrgent) this.#mayBeUrgent = true;
    else if (due.length === limit) this.#mayBeDue = true;
    this.#nextLeave = performance.now() + this.#tools.paceMs;
    this.#tries += due.length;
    for (const message of due) this.#begin(message);
  }

  /** How many may leave now; with a full window, one-time codes only. */
  #room(now: number): { limit: number; isUrgent: boolean } {
    const { paceMs } = this.#tools;
    const isPaced = paceMs > 0;
    if (isPaced && now < this.#nextLeave) return { limit: 0, isUrgent: false };
    const underWay = this.#underWay.size;
    const room = Math.min(WINDOW - this.#expected(), UNDER_WAY_MAX - underWay);
    // With a pace, one at a time: what is claimed leaves at once and is settled while the next one waits.
    if (this.#mayBeDue && room >= (isPaced ? 1 : WINDOW / 2)) {
      return { limit: isPaced ? 1 : room, isUrgent: false };
    }
    const beyond = UNDER_WAY_MAX + WINDOW - underWay;
    const urgentRoom = this.#mayBeUrgent ? Math.min(isPaced ? 1 : URGENT_ROOM, beyond) : 0;
    return { limit: Math.max(0, urgentRoom), isUrgent: true };
  }

  /** Tries whose answers are still to be expected soon. */
  #expected(): number {
    const silentSince = performance.now() - SILENT_AFTER_MS;
    let expected = 0;
    for (const since of this.#underWay.values()) if (since > silentSince) expected += 1;
    return expected;
  }

  #begin(message: Dispatched) {
    const sending = attempt(this.#tools, this.#claim, message).then((result) => {
      this.#underWay.delete(sending);
      this.#results.push(result);
      this.#ring?.();
    });
    this.#underWay.set(sending, performance.now());
  }

  /** Waits a little for the neighbours of a result; nobody waits for silent tries. */
  async #gather() {
    const end = performance.now() + GATHER_MS;
    for (;;) {
      const leftMs = end - performance.now();
      const nextLeaveMs = this.#mayBeDue && this.#tools.paceMs > 0 ? this.#nextLeaveMs() : leftMs;
      if (leftMs <= 0 || nextLeaveMs <= 0 || this.#expected() === 0) return;
      await this.#pause(Math.min(leftMs, nextLeaveMs));
    }
  }

  async #settle() {
    const results = this.#results.splice(0);
    await settleResults(this.#tools, this.#claim, results);
    const now = performance.now();
    for (const result of results) {
      if (result.kind === 'postponed')
        this.#nextDue = Math.min(this.#nextDue, now + result.afterMs);
    }
    // What waited behind them, to the same phones, may leave now.
    this.#mayBeDue = true;
  }

  /** Asks when the first message that was not due at the last look will be. */
  async #findNext() {
    this.#knowsNext = true;
    const askedAt = performance.now();
    const inMs = await nextDueMs(this.#tools, this.#claim, askedAt - this.#lookedAt);
    if (inMs !== null) this.#nextDue = Math.min(this.#nextDue, askedAt + inMs);
  }

  #nextLeaveMs = () => this.#nextLeave - performance.now();

  /** How long there is nothing to do, unless an answer or a hint comes. */
  #restMs(): number {
    const { paceMs, lanes } = this.#tools;
    if (this.#underWay.size === 0) return this.#nextLeaveMs();
    const untilDue = this.#nextDue - performance.now();
    const untilLeave = paceMs > 0 && this.#mayBeDue ? this.#nextLeaveMs() : Infinity;
    const quietMs = Math.max(QUIET_LOOK_MS, QUIET_LOOK_MS_PER_LANE * lanes());
    return Math.min(this.#expected() > 0 ? this.#lookMs : quietMs, untilDue, untilLeave);
  }

  /** Rests until something happens; after `ms` without it, there may be work that nobody told of. */
  async #pause(ms: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ring = resolve;
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
    this.#ring = undefined;
  }
}

const claimDue = (
  { sql, from }: LaneTools,
  { accountId, tokenId, epoch }: Claim,
  { limit, isUrgent }: { limit: number; isUrgent: boolean },
): Promise<Dispatched[]> =>
  sql<Dispatched[]>`
    select * from claim_dispatch(
      ${accountId}, ${tokenId}, ${epoch}, ${limit}, ${isUrgent}, ${from}
    )`;

/** In how many ms the first message is due that was not due `sinceMs` ago; null when there is none. */
async function nextDueMs(
  { sql }: LaneTools,
  { accountId, tokenId }: Claim,
  sinceMs: number,
): Promise<number | null> {
  const [next] = await sql<{ in_ms: number | null }[]>`
    select extract(epoch from min(ready_at) - clock_timestamp())::float8 * 1000 as in_ms
    from dispatch
    where account_id = ${accountId} and token_id = ${tokenId} and state in ('ready', 'unknown')
      and ready_at > clock_timestamp() - ${sinceMs}::float8 * interval '1 millisecond'`;
  return next?.in_ms ?? null;
}
