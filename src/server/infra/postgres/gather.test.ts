import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { gather } from './gather.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function recordedRuns() {
  const runs: number[][] = [];
  const run = async (jobs: readonly number[]) => {
    runs.push([...jobs]);
    return jobs.map((job) => job * 10);
  };
  return { runs, run };
}

function heldRuns() {
  const runs: number[][] = [];
  const ends: (() => void)[] = [];
  const run = async (jobs: readonly number[]) => {
    runs.push([...jobs]);
    await new Promise<void>((resolve) => void ends.push(resolve));
    return jobs;
  };
  return { runs, run, endNext: () => ends.shift()?.() };
}

const failure = (code: string) => Object.assign(new Error(code), { code });

describe('jobs that come one by one', () => {
  test('run together if they come within the time, and each gets its own answer', async () => {
    const { runs, run } = recordedRuns();
    const add = gather(run, { waitMs: 8, sizeMax: 100 });
    const first = add(3);
    await vi.advanceTimersByTimeAsync(7);
    const others = [add(1), add(2)];
    expect(runs).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toEqual([[3, 1, 2]]);
    expect(await Promise.all([first, ...others])).toEqual([30, 10, 20]);

    const late = add(4);
    await vi.advanceTimersByTimeAsync(8);
    expect(runs).toEqual([[3, 1, 2], [4]]);
    expect(await late).toBe(40);
  });

  test('wait only for a turn of the event loop if no time is given', async () => {
    const { runs, run } = recordedRuns();
    const add = gather(run, { waitMs: 0, sizeMax: 100 });
    const answers = Promise.all([add(1), add(2)]);
    expect(runs).toEqual([]);
    await vi.advanceTimersByTimeAsync(0);
    expect(await answers).toEqual([10, 20]);
    expect(runs).toEqual([[1, 2]]);
  });

  test('run in batches of the largest size, in order; larger jobs run alone', async () => {
    const { runs, run } = recordedRuns();
    const add = gather(run, { waitMs: 8, sizeMax: 5, sizeOf: (job) => job });
    const answers = Promise.all([2, 3, 1, 9, 4, 2].map(add));
    await vi.advanceTimersByTimeAsync(100);
    expect(runs).toEqual([[2, 3], [1], [9], [4], [2]]);
    expect(await answers).toEqual([20, 30, 10, 90, 40, 20]);
  });

  test('run one batch at a time, later jobs in the next one', async () => {
    const { runs, run, endNext } = heldRuns();
    const add = gather(run, { waitMs: 8, sizeMax: 100 });
    const first = add(1);
    await vi.advanceTimersByTimeAsync(8);
    const next = [add(2), add(3)];
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toEqual([[1]]);
    endNext();
    expect(await first).toBe(1);
    await vi.advanceTimersByTimeAsync(8);
    expect(runs).toEqual([[1], [2, 3]]);
    endNext();
    expect(await Promise.all(next)).toEqual([2, 3]);
  });

  test('run in as many concurrent batches as allowed', async () => {
    const { runs, run } = heldRuns();
    const add = gather(run, { waitMs: 0, sizeMax: 1, runsMax: 2 });
    for (const job of [1, 2, 3]) void add(job);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toEqual([[1], [2]]);
  });
});

describe('a run that fails', () => {
  test('is repeated job by job, and rejects only the failing one', async () => {
    const { runs, run } = recordedRuns();
    const add = gather(
      async (jobs: readonly number[]) => {
        const answers = await run(jobs);
        if (jobs.includes(2)) throw failure('23514');
        return answers;
      },
      { waitMs: 8, sizeMax: 100 },
    );
    const answers = Promise.allSettled([1, 2, 3].map(add));
    await vi.advanceTimersByTimeAsync(8);
    expect(await answers).toMatchObject([
      { status: 'fulfilled', value: 10 },
      { status: 'rejected', reason: { code: '23514' } },
      { status: 'fulfilled', value: 30 },
    ]);
    expect(runs).toEqual([[1, 2, 3], [1], [2], [3]]);

    const next = add(4);
    await vi.advanceTimersByTimeAsync(8);
    expect(await next).toBe(40);
  });

  for (const [what, code] of [
    ['trouble that passes by itself', '40P01'],
    ['a server that is short of something', '53100'],
  ] as const) {
    test(`for ${what} rejects all without repeating them`, async () => {
      const { runs, run } = recordedRuns();
      const add = gather(
        async (jobs: readonly number[]) => {
          await run(jobs);
          throw failure(code);
        },
        { waitMs: 8, sizeMax: 100 },
      );
      const answers = Promise.allSettled([1, 2, 3].map(add));
      await vi.advanceTimersByTimeAsync(8);
      expect(await answers).toMatchObject(
        [1, 2, 3].map(() => ({ status: 'rejected', reason: { code } })),
      );
      expect(runs).toEqual([[1, 2, 3]]);
    });
  }
});

test('the first job after a pause waits less', async () => {
  const { runs, run } = recordedRuns();
  const add = gather(run, { waitMs: 40, pauseMs: 4, sizeMax: 1_000 });
  const answers = [add(1)];
  await vi.advanceTimersByTimeAsync(4);
  expect(runs).toEqual([[1]]);
  answers.push(add(2));
  await vi.advanceTimersByTimeAsync(39);
  expect(runs).toEqual([[1]]);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs).toEqual([[1], [2]]);
  await vi.advanceTimersByTimeAsync(36);
  answers.push(add(3));
  await vi.advanceTimersByTimeAsync(4);
  expect(runs).toEqual([[1], [2], [3]]);
  expect(await Promise.all(answers)).toEqual([10, 20, 30]);
});

test('enough jobs end the wait', async () => {
  const { runs, run } = recordedRuns();
  const add = gather(run, { waitMs: 40, enough: 3, sizeMax: 1_000 });
  const answers = [add(1), add(2)];
  await vi.advanceTimersByTimeAsync(39);
  expect(runs).toEqual([]);
  answers.push(add(3));
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toEqual([[1, 2, 3]]);
  expect(await Promise.all(answers)).toEqual([10, 20, 30]);
});
