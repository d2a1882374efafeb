import { isDatabaseFailure } from './database.ts';

/**
 * Runs a batch: an answer for each job, in order, or a promise of one, so that a slow job delays no other. Changes
 * nothing if it rejects; a rejected promise is its job's own failure.
 */
export type RunGathered<Job, Answer> = (
  jobs: readonly Job[],
) => Promise<readonly (Answer | Promise<Answer>)[]>;

export type GatherOptions<Job> = {
  /** The wait of a job for others, in milliseconds; 0: until the next turn of the event loop. */
  waitMs: number;
  /** The shorter wait of a job when the last run began longer ago than `waitMs`. */
  pauseMs?: number;
  /** Items that end the wait: with more, each would get little cheaper. */
  enough?: number;
  sizeOf?: (job: Job) => number;
  /** The largest number of items per run; a larger job runs alone. */
  sizeMax: number;
  /** Concurrent runs; later jobs are gathered for the next one. */
  runsMax?: number;
};

type Waiting<Job, Answer> = {
  job: Job;
  size: number;
  resolve: (answer: Answer | Promise<Answer>) => void;
  reject: (error: unknown) => void;
};

/**
 * Runs jobs in batches, for work that is much cheaper in a batch, at the cost of a short wait. If a run fails, each
 * job runs by itself, so that none fails because of another; but not after errors of the database itself.
 *
 * @returns a function that takes a job and resolves with its answer.
 */
export function gather<Job, Answer>(
  run: RunGathered<Job, Answer>,
  options: GatherOptions<Job>,
): (job: Job) => Promise<Answer> {
  const { waitMs, pauseMs = waitMs, sizeMax, enough = sizeMax } = options;
  const { sizeOf = () => 1, runsMax = 1 } = options;
  let waiting: Waiting<Job, Answer>[] = [];
  let waitingSize = 0;
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  let isSoon = false;
  let ranAt = -Infinity;
  const isFull = () => waitingSize >= Math.min(sizeMax, enough);

  const schedule = () => {
    if (timer !== undefined && !isSoon && isFull()) {
      clearTimeout(timer);
      timer = undefined;
    }
    if (timer !== undefined || running >= runsMax || waiting.length === 0) return;
    const ms = isFull() ? 0 : Math.max(pauseMs, ranAt + waitMs - performance.now());
    isSoon = ms === 0;
    timer = setTimeout(runNext, ms);
  };
  const takeNext = () => {
    let count = 0;
    let size = 0;
    for (const one of waiting) {
      if (count > 0 && size + one.size > sizeMax) break;
      size += one.size;
      count += 1;
    }
    waitingSize -= size;
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  };
  const runNext = () => {
    timer = undefined;
    ranAt = performance.now();
    running += 1;
    const done = runBatch(run, takeNext());
    schedule();
    void done.then(() => {
      running -= 1;
      schedule();
    });
  };
  return (job) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const size = sizeOf(job);
    waiting.push({ job, size, resolve, reject });
    waitingSize += size;
    schedule();
    return promise;
  };
}

async function runBatch<Job, Answer>(
  run: RunGathered<Job, Answer>,
  batch: readonly Waiting<Job, Answer>[],
): Promise<void> {
  try {
    const answers = await run(batch.map(({ job }) => job));
    if (answers.length !== batch.length) throw new Error('a gathered job was not answered');
    batch.forEach(({ resolve }, index) => resolve(answers[index] as Answer | Promise<Answer>));
  } catch (error) {
    if (batch.length > 1 && !isDatabaseFailure(error))
      for (const one of batch) await runBatch(run, [one]);
    else for (const { reject } of batch) reject(error);
  }
}
