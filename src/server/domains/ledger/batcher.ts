import { Refusal } from '#contract/base/refusals.ts';

/** Something that waits to be placed; `size` counts its messages. */
export type Waiting = { size: number };

type Entry<Job, Result> = {
  job: Job;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

type Lane<Job, Result> = {
  wallet: string;
  queue: Entry<Job, Result>[];
  /** Messages waiting, over all jobs of the queue. */
  waiting: number;
  inFlight: boolean;
  /** True while the lane stands in the round. */
  listed: boolean;
};

/** The jobs of one wallet in a batch. */
export type Group<Job> = { wallet: string; jobs: readonly Job[] };

/**
 * Places the groups of a batch. Resolves when the batch's slot is free again, with an answer per group:
 * one result per job, in order, or the promise of them, so that a group that needs longer holds back
 * nobody else.
 */
export type RunBatch<Job, Result> = (
  groups: readonly Group<Job>[],
) => Promise<readonly (readonly Result[] | Promise<readonly Result[]>)[]>;

export type BatcherLimits = {
  /** Messages in one batch; a larger single job goes alone. */
  batchMax: number;
  /** Batches under way at once. */
  batches: number;
  /** Messages waiting per wallet before `queue_full`. */
  queueMax: number;
};

/**
 * Three batches under way keep two cores busy without waiting for each other's locks; a wallet is in one
 * of them at a time, so its jobs keep their order.
 */
export const BATCHER_LIMITS: BatcherLimits = { batchMax: 200, batches: 3, queueMax: 5000 };

/**
 * The micro-batcher: a batch is whatever queued, over all wallets, while earlier batches were under way.
 *
 * No timer: with nothing under way, a job leaves at once. Wallets take turns, so that a busy one
 * starves nobody.
 */
export class WalletBatcher<Job extends Waiting, Result> {
  readonly #run: RunBatch<Job, Result>;
  readonly #limits: BatcherLimits;
  readonly #lanes = new Map<string, Lane<Job, Result>>();
  readonly #round: Lane<Job, Result>[] = [];
  #underWay = 0;
  #closed = false;
  #drained: (() => void) | undefined;

  constructor(run: RunBatch<Job, Result>, limits: BatcherLimits = BATCHER_LIMITS) {
    this.#run = run;
    this.#limits = limits;
  }

  /**
   * Queues a job for a wallet and answers when its batch is durable.
   *
   * @throws Refusal `queue_full` when too much waits already, `busy` while closing.
   */
  submit(wallet: string, job: Job): Promise<Result> {
    if (this.#closed) return Promise.reject(new Refusal('busy', { seconds: 5 }));
    let lane = this.#lanes.get(wallet);
    if (!lane) {
      lane = { wallet, queue: [], waiting: 0, inFlight: false, listed: false };
      this.#lanes.set(wallet, lane);
    }
    if (lane.waiting > 0 && lane.waiting + job.size > this.#limits.queueMax) {
      return Promise.reject(new Refusal('queue_full', { seconds: 1 }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    lane.queue.push({ job, resolve, reject });
    lane.waiting += job.size;
    this.#list(lane);
    this.#pump();
    return promise;
  }

  /** Messages that wait, over all wallets. */
  get waiting(): number {
    let waiting = 0;
    for (const lane of this.#lanes.values()) waiting += lane.waiting;
    return waiting;
  }

  /** Takes nothing new and resolves when everything queued has been answered. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#lanes.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    await promise;
  }

  #list(lane: Lane<Job, Result>) {
    if (lane.listed || lane.inFlight || lane.queue.length === 0) return;
    lane.listed = true;
    this.#round.push(lane);
  }

  #pump() {
    while (this.#underWay < this.#limits.batches && this.#round.length > 0) void this.#send();
  }

  /** The next lanes of the round, with as much of each as the batch has room for. */
  #take(): { lane: Lane<Job, Result>; entries: Entry<Job, Result>[] }[] {
    const taken: { lane: Lane<Job, Result>; entries: Entry<Job, Result>[] }[] = [];
    let room = this.#limits.batchMax;
    while (room > 0) {
      const [lane] = this.#round;
      if (!lane) break;
      const { count, size } = fitting(lane.queue, room, taken.length === 0);
      if (count === 0) break;
      this.#round.shift();
      lane.listed = false;
      lane.inFlight = true;
      lane.waiting -= size;
      taken.push({ lane, entries: lane.queue.splice(0, count) });
      room -= size;
    }
    return taken;
  }

  async #send() {
    const taken = this.#take();
    this.#underWay += 1;
    try {
      const groups = taken.map(({ lane, entries }) => ({
        wallet: lane.wallet,
        jobs: entries.map(({ job }) => job),
      }));
      const answers = await this.#run(groups);
      taken.forEach(({ lane, entries }, index) => {
        const answer = answers[index] ?? [];
        if (answer instanceof Promise) void this.#await(lane, entries, answer);
        else this.#answer(lane, entries, answer);
      });
    } catch (error) {
      for (const { lane, entries } of taken) this.#fail(lane, entries, error);
    } finally {
      this.#underWay -= 1;
      this.#pump();
    }
  }

  async #await(
    lane: Lane<Job, Result>,
    entries: readonly Entry<Job, Result>[],
    answer: Promise<readonly Result[]>,
  ) {
    try {
      this.#answer(lane, entries, await answer);
    } catch (error) {
      this.#fail(lane, entries, error);
    }
    this.#pump();
  }

  #answer(
    lane: Lane<Job, Result>,
    entries: readonly Entry<Job, Result>[],
    results: readonly Result[],
  ) {
    entries.forEach(({ resolve, reject }, index) => {
      const result = results[index];
      if (result === undefined) reject(new Error('a job was not answered'));
      else resolve(result);
    });
    this.#free(lane);
  }

  #fail(lane: Lane<Job, Result>, entries: readonly Entry<Job, Result>[], error: unknown) {
    for (const { reject } of entries) reject(error);
    this.#free(lane);
  }

  #free(lane: Lane<Job, Result>) {
    lane.inFlight = false;
    if (lane.queue.length === 0) this.#lanes.delete(lane.wallet);
    this.#list(lane);
    if (this.#lanes.size === 0) this.#drained?.();
  }
}

/** How many jobs from the front fit; the first of a batch always does. */
function fitting(queue: readonly { job: Waiting }[], room: number, first: boolean) {
  let size = 0;
  let count = 0;
  for (const { job } of queue) {
    if (size + job.size > room && !(first && count === 0)) break;
    size += job.size;
    count += 1;
  }
  return { count, size };
}
