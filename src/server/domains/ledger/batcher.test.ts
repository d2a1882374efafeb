import { expect, test } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type BatcherLimits, type Group, WalletBatcher } from './batcher.ts';

type Job = { size: number; name: string };
type Call = { groups: readonly Group<Job>[]; answer: (fail?: Error) => void };

/** A batcher whose batches wait until the test answers them. */
function batcherWith(limits: Partial<BatcherLimits> = {}) {
  const calls: Call[] = [];
  const batcher = new WalletBatcher<Job, string>(
    async (groups) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      calls.push({ groups, answer: (fail) => (fail ? reject(fail) : resolve()) });
      await promise;
      return groups.map(({ jobs }) => jobs.map(({ name }) => name));
    },
    { batchMax: 10, batches: 1, walletsMax: 10, queueMax: 100, gatherMs: 1, ...limits },
  );
  const submit = (wallet: string, name: string, size = 1) => batcher.submit(wallet, { size, name });
  const sizes = () =>
    calls.map(({ groups }) => groups.map(({ wallet, jobs }) => `${wallet}${jobs.length}`));
  return { batcher, calls, submit, sizes };
}

test('sends a job at once when none is in flight, and batches the jobs queued meanwhile', async () => {
  const { calls, submit, sizes } = batcherWith();
  const first = submit('a', '1');
  const rest = [submit('a', '2'), submit('b', '3'), submit('a', '4')];
  expect(sizes()).toEqual([['a1']]);
  calls[0]?.answer();
  await first;
  await waitFor(() => expect(calls.length).toBe(2));
  expect(sizes()[1]?.toSorted((a, b) => a.localeCompare(b))).toEqual(['a2', 'b1']);
  calls[1]?.answer();
  expect(await Promise.all(rest)).toEqual(['2', '3', '4']);
});

test('puts a wallet in one batch at a time', async () => {
  const { calls, submit, sizes } = batcherWith({ batches: 3 });
  const all = [submit('a', '1'), submit('a', '2'), submit('b', '3')];
  expect(sizes()).toEqual([['a1'], ['b1']]);
  for (const call of calls) call.answer();
  await waitFor(() => expect(calls.length).toBe(3));
  calls[2]?.answer();
  expect(await Promise.all(all)).toEqual(['1', '2', '3']);
});

test('serves wallets in turn despite a busy one, and sends a single large job alone', async () => {
  const { calls, submit, sizes } = batcherWith({ batchMax: 3 });
  const all = [submit('a', '1')];
  for (const name of ['2', '3', '4', '5', '6']) all.push(submit('a', name));
  all.push(submit('b', '7'), submit('c', '8', 20));
  const done = Promise.all(all);
  for (let n = 0; n < 5; n++) {
    await waitFor(() => expect(calls.length).toBeGreaterThan(n));
    calls[n]?.answer();
  }
  expect(await done).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  const order = sizes().map((groups) => groups.join(' '));
  expect(order.findIndex((groups) => groups.includes('b1'))).toBeLessThan(3);
  expect(order).toContain('c1');
});

test('refuses jobs beyond the queue limit, and answers accepted jobs while closing', async () => {
  const { batcher, calls, submit } = batcherWith({ queueMax: 2 });
  const submitted = [submit('a', '1'), submit('a', '2'), submit('a', '3')];
  await expect(submit('a', '4')).rejects.toEqual(new Refusal('queue_full', { seconds: 1 }));
  let isClosed = false;
  const closed = batcher.close().then(() => (isClosed = true));
  await expect(submit('b', '5')).rejects.toEqual(new Refusal('busy', { seconds: 5 }));
  calls[0]?.answer();
  await waitFor(() => expect(calls.length).toBe(2));
  expect(isClosed).toBe(false);
  calls[1]?.answer();
  expect(await Promise.all(submitted)).toEqual(['1', '2', '3']);
  await closed;
});

test('accepts a job larger than the limit when no other job waits', async () => {
  const { calls, submit } = batcherWith({ queueMax: 2 });
  const done = [submit('a', '1'), submit('a', '2', 3)];
  await expect(submit('a', '3')).rejects.toEqual(new Refusal('queue_full', { seconds: 1 }));
  calls[0]?.answer();
  await waitFor(() => expect(calls.length).toBe(2));
  calls[1]?.answer();
  expect(await Promise.all(done)).toEqual(['1', '2']);
});

test('fails the jobs of a failed batch, and continues with the next ones', async () => {
  const { calls, submit } = batcherWith();
  const first = submit('a', '1');
  const second = submit('a', '2');
  calls[0]?.answer(new Error('database away'));
  await expect(first).rejects.toThrow('database away');
  await waitFor(() => expect(calls.length).toBe(2));
  calls[1]?.answer();
  expect(await second).toBe('2');
});

test('waits for as many calls as the fullest recent batch had, and sends when they have arrived', async () => {
  const { calls, submit, sizes } = batcherWith({ gatherMs: 60_000 });
  const done = [submit('a', '1'), submit('b', '2'), submit('c', '3')];
  calls[0]?.answer();
  await done[0];
  // Fewer jobs than in the fullest recent batch wait for more.
  await waitFor(() => expect(calls.length).toBe(2));
  calls[1]?.answer();
  await Promise.all(done);
  done.push(submit('a', '4'));
  expect(calls).toHaveLength(2);
  done.push(submit('a', '5'));
  expect(sizes()).toEqual([['a1'], ['b1', 'c1'], ['a2']]);
  calls[2]?.answer();
  expect(await Promise.all(done)).toEqual(['1', '2', '3', '4', '5']);
});

test('waits for more calls only briefly, and no longer eight batches later', async () => {
  const { calls, submit, sizes } = batcherWith();
  const answer = async (index: number) => {
    await waitFor(() => expect(calls.length).toBe(index + 1));
    calls[index]?.answer();
  };
  const first = [submit('a', '1'), submit('b', '2'), submit('c', '3')];
  await answer(0);
  await answer(1);
  await Promise.all(first);
  for (let index = 2; index < 9; index++) {
    const alone = submit('a', String(index));
    expect(calls).toHaveLength(index);
    await answer(index);
    await alone;
  }
  const last = submit('a', 'last');
  expect(sizes().slice(2)).toHaveLength(7);
  await answer(9);
  await last;
  const next = submit('a', 'next');
  expect(calls).toHaveLength(11);
  calls[10]?.answer();
  expect(await next).toBe('next');
});

test('limits the wallets of a batch, and counts waiting jobs by their messages', async () => {
  const { batcher, calls, submit, sizes } = batcherWith({ walletsMax: 2 });
  const done = [submit('a', '1', 9), submit('b', '2', 3), submit('c', '3', 4), submit('d', '4')];
  expect(batcher.waiting).toBe(8);
  calls[0]?.answer();
  await waitFor(() => expect(sizes()[1]).toEqual(['b1', 'c1']));
  expect(batcher.waiting).toBe(1);
  calls[1]?.answer();
  await waitFor(() => expect(calls.length).toBe(3));
  calls[2]?.answer();
  await Promise.all(done);
  expect(batcher.waiting).toBe(0);
  await batcher.close();
});

test('answers and fails each wallet independently of a slower one', async () => {
  const late = Promise.withResolvers<readonly string[]>();
  const batches: string[][] = [];
  const batcher = new WalletBatcher<Job, string>(
    async (groups) => {
      batches.push(groups.map(({ wallet }) => wallet));
      return groups.map(({ wallet, jobs }) =>
        wallet === 'late' && batches.length === 1 ? late.promise : jobs.map(({ name }) => name),
      );
    },
    { batchMax: 10, batches: 1, walletsMax: 10, queueMax: 100, gatherMs: 1 },
  );
  const failed = batcher.submit('late', { size: 1, name: '1' });
  expect(await batcher.submit('a', { size: 1, name: '2' })).toBe('2');
  const behind = batcher.submit('late', { size: 1, name: '3' });
  expect(await batcher.submit('a', { size: 1, name: '4' })).toBe('4');
  expect(batches).toEqual([['late'], ['a'], ['a']]);
  late.reject(new Error('database away'));
  await expect(failed).rejects.toThrow('database away');
  expect(await behind).toBe('3');
  await batcher.close();
});

test('fails a job that its batch does not answer', async () => {
  const batcher = new WalletBatcher<Job, string>(async () => [[]]);
  await expect(batcher.submit('a', { size: 1, name: '1' })).rejects.toThrow('not answered');
  const silent = new WalletBatcher<Job, string>(async () => []);
  await expect(silent.submit('a', { size: 1, name: '1' })).rejects.toThrow('not answered');
  await silent.close();
});
