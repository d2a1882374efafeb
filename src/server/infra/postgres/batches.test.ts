import { expect, test } from 'vitest';
import { eachByItself } from './batches.ts';

function workThat(breaks: (item: number) => Error | undefined) {
  const calls: (readonly number[])[] = [];
  const work = async (items: readonly number[]) => {
    calls.push(items);
    for (const item of items) {
      const error = breaks(item);
      if (error) throw error;
    }
  };
  return { calls, work };
}

const broken = new Error('broken');
const away = Object.assign(new Error('away'), { code: '57P01' });

test('does all items in one call if none fails', async () => {
  const { calls, work } = workThat(() => undefined);
  expect(await eachByItself([1, 2, 3], work)).toEqual([]);
  expect(await eachByItself([], work)).toEqual([]);
  expect(calls).toEqual([[1, 2, 3]]);
});

test('an item that breaks a batch fails alone', async () => {
  const { calls, work } = workThat((item) => (item === 2 ? broken : undefined));
  expect(await eachByItself([1, 2, 3], work)).toEqual([{ item: 2, error: broken }]);
  expect(calls).toEqual([[1, 2, 3], [1], [2], [3]]);
  expect(await eachByItself([2], work)).toEqual([{ item: 2, error: broken }]);
});

test('throws transient and fatal errors for the whole batch', async () => {
  const passing = workThat((item) => (item === 2 ? away : undefined));
  await expect(eachByItself([1, 2], passing.work)).rejects.toBe(away);
  expect(passing.calls).toHaveLength(1);
  const fatal = workThat(() => broken);
  await expect(eachByItself([1, 2], fatal.work, () => true)).rejects.toBe(broken);
  expect(fatal.calls).toHaveLength(1);
});
