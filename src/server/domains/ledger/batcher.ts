import { Refusal } from '#contract/base/refusals.ts';

/** A job that waits to be accepted; `size` counts its messages. */
export type QueuedJob = { size: number };

type Entry<Job, Result> = {
  job: Job;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

type WalletQueue<Job, Result> = {
  wallet: string;
  entries: Entry<Job, Result>[];
  waiting: number;
  inFlight: boolean;
  isReady: boolean;
};

export type Group<Job> = { wallet: string; jobs: readonly Job[] };

/**
 * Runs the groups of a batch. Resolves when the batch's slot is free again, with an answer per group: one result per
 * job, in order, or a promise of them, so that a slow group does not delay the others.
 */
export type RunBatch<Job, Result> = (
  groups: readonly Group<Job>[],
) => Promise<readonly (readonly Result[] | Promise<readonly Result[]>)[]>;

export type BatcherLimits = {
  /** Messages in one batch; a larger single job goes alone. */
  batchMax: number;
  batches: number;
  walletsMax: number;
  /** Messages waiting per wallet before `queue_full`. */
  queueMax: number;
  /** Longest wait of a batch, in milliseconds, for as many jobs as the fullest recent batch had. */
  gatherMs: number;
};

/**
 * One batch in flight; new jobs join the next one. With two or three in flight, throughput did not rise and the
 * database used a third more time.
 */
export const BATCHER_LIMITS: BatcherLimits = {
  batchMax: 200,
  batches: 1,
  walletsMax: 200,
  queueMax: 5000,
  gatherMs: 12,
};

const RECENT_BATCHES = 8;

/**
 * The micro-batcher: a batch contains all jobs, over all wallets, that were queued while earlier batches were in
 * flight.
 * With nothing in flight a job leaves at once, so a caller that sends requests one by one is delayed only for the first
 * few after concurrent calls. If a batch of the last eight had several jobs, a batch waits some milliseconds until as
 * many have come: a call costs the database at least six times as much as one more message does. Wallets are served
 * round-robin, so that a busy one does not starve the others.
 */
export class WalletBatcher<Job extends QueuedJob, Result> {
  readonly #run: RunBatch<Job, Result>;
  readonly #limits: BatcherLimits;
  readonly #queues = new Map<string, WalletQueue<Job, Result>>();
  readonly #ready: WalletQueue<Job, Result>[] = [];
  #inFlight = 0;
  #jobs = 0;
  readonly #recent: number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #drained: (() => void) | undefined;

  constructor(run: RunBatch<Job, Result>, limits: BatcherLimits = BATCHER_LIMITS) {
    this.#run = run;
    this.#limits = limits;
  }

  /**
   * Queues a job for a wallet and answers when its batch is durable.
   *
   * @throws Refusal `queue_full` when too many messages wait already, `busy` while closing.
   */
  submit(wallet: string, job: Job): Promise<Result> {
    if (this.#closed) return Promise.reject(new Refusal('busy', { seconds: 5 }));
    let queue = this.#queues.get(wallet);
    if (!queue) {
      queue = { wallet, entries: [], waiting: 0, inFlight: false, isReady: false };
      this.#queues.set(wallet, queue);
    }
    if (queue.waiting > 0 && queue.waiting + job.size > this.#limits.queueMax) {
      return Promise.reject(new Refusal('queue_full', { seconds: 1 }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    queue.entries.push({ job, resolve, reject });
    queue.waiting += job.size;
    this.#jobs += 1;
    this.#markReady(queue);
    this.#pump();
    return promise;
  }

  /** Waiting messages, over all wallets. */
  get waiting(): number {
    let waiting = 0;
    for (const queue of this.#queues.values()) waiting += queue.waiting;
    return waiting;
  }

  /** Accepts no new jobs and resolves when every queued job has been answered. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#queues.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    await promise;
  }

  #markReady(queue: WalletQueue<Job, Result>) {
    if (queue.isReady || queue.inFlight || queue.entries.length === 0) return;
    queue.isReady = true;
    this.#ready.push(queue);
  }

  #pump() {
    if (this.#inFlight >= this.#limits.batches || this.#ready.length === 0) return;
    if (this.#jobs < Math.max(1, ...this.#recent) && !this.#closed) {
      this.#timer ??= setTimeout(() => this.#sendAll(), this.#limits.gatherMs);
    } else this.#sendAll();
  }

  #sendAll() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#inFlight < this.#limits.batches && this.#ready.length > 0) void this.#send();
  }

  #nextBatch(): { queue: WalletQueue<Job, Result>; entries: Entry<Job, Result>[] }[] {
    const batch: { queue: WalletQueue<Job, Result>; entries: Entry<Job, Result>[] }[] = [];
    let room = this.#limits.batchMax;
    while (room > 0 && batch.length < this.#limits.walletsMax) {
      const [queue] = this.#ready;
      if (!queue) break;
      const { count, size } = countFitting(queue.entries, room, batch.length === 0);
      if (count === 0) break;
      this.#ready.shift();
      queue.isReady = false;
      queue.inFlight = true;
      queue.waiting -= size;
      batch.push({ queue, entries: queue.entries.splice(0, count) });
      room -= size;
    }
    const jobs = batch.reduce((sum, { entries }) => sum + entries.length, 0);
    this.#jobs -= jobs;
    this.#recent.push(jobs);
    if (this.#recent.length > RECENT_BATCHES) this.#recent.shift();
    return batch;
  }

  async #send() {
    const batch = this.#nextBatch();
    this.#inFlight += 1;
    try {
      const groups = batch.map(({ queue, entries }) => ({
        wallet: queue.wallet,
        jobs: entries.map(({ job }) => job),
      }));
      const answers = await this.#run(groups);
      batch.forEach(({ queue, entries }, index) => {
        const answer = answers[index] ?? [];
        if (answer instanceof Promise) void this.#await(queue, entries, answer);
        else this.#answer(queue, entries, answer);
      });
    } catch (error) {
      for (const { queue, entries } of batch) this.#fail(queue, entries, error);
    } finally {
      this.#inFlight -= 1;
      this.#pump();
    }
  }

  async #await(
    queue: WalletQueue<Job, Result>,
    entries: readonly Entry<Job, Result>[],
    answer: Promise<readonly Result[]>,
  ) {
    try {
      this.#answer(queue, entries, await answer);
    } catch (error) {
      this.#fail(queue, entries, error);
    }
    this.#pump();
  }

  #answer(
    queue: WalletQueue<Job, Result>,
    entries: readonly Entry<Job, Result>[],
    results: readonly Result[],
  ) {
    entries.forEach(({ resolve, reject }, index) => {
      const result = results[index];
      if (result === undefined) reject(new Error('a job was not answered'));
      else resolve(result);
    });
    this.#release(queue);
  }

  #fail(queue: WalletQueue<Job, Result>, entries: readonly Entry<Job, Result>[], error: unknown) {
    for (const { reject } of entries) reject(error);
    this.#release(queue);
  }

  #release(queue: WalletQueue<Job, Result>) {
    queue.inFlight = false;
    if (queue.entries.length === 0) this.#queues.delete(queue.wallet);
    this.#markReady(queue);
    if (this.#queues.size === 0) this.#drained?.();
  }
}

/** Number of jobs from the front that fit; the first job of a batch always fits. */
function countFitting(entries: readonly { job: QueuedJob }[], room: number, first: boolean) {
  let size = 0;
  let count = 0;
  for (const { job } of entries) {
    if (size + job.size > room && !(first && count === 0)) break;
    size += job.size;
    count += 1;
  }
  return { count, size };
}
