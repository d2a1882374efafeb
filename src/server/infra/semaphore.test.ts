import { expect, test } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { semaphore } from './semaphore.ts';

const busy = new Refusal('busy', { seconds: 5 });

test('refuses a caller that waits too long, and keeps the turns of the others', async () => {
  const enter = semaphore(1, 3, { waitMs: 30 });
  const order: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = enter(() => held.promise);
  await expect(enter(async () => order.push('late'))).rejects.toEqual(busy);
  const next = enter(async () => order.push('second'));
  const last = enter(async () => order.push('third'));
  held.resolve();
  await Promise.all([first, next, last]);
  expect(order).toEqual(['second', 'third']);
  expect(await enter(async () => 'free')).toBe('free');
});

test('refuses at once beyond the waiting limit', async () => {
  const enter = semaphore(1, 1);
  const held = Promise.withResolvers<string>();
  const inside = enter(() => held.promise);
  const waits = enter(async () => 'second');
  await expect(enter(async () => 'third')).rejects.toEqual(busy);
  held.resolve('first');
  expect(await Promise.all([inside, waits])).toEqual(['first', 'second']);
});

test('limits the waiting callers of one owner, so that another finds a place', async () => {
  const enter = semaphore(1, 3, { waitingEachMax: 2 });
  const held = Promise.withResolvers<void>();
  const first = enter(() => held.promise, { owner: 'ani' });
  const own = [1, 2].map((n) => enter(async () => n, { owner: 'ani' }));
  await expect(enter(async () => 3, { owner: 'ani' })).rejects.toEqual(busy);
  const others = enter(async () => 'budi', { owner: 'budi' });
  await expect(enter(async () => 4, { owner: 'citra' })).rejects.toEqual(busy);
  held.resolve();
  expect(await Promise.all([first, ...own, others])).toEqual([undefined, 1, 2, 'budi']);
});

test('alternates between owners, and skips callers that gave up', async () => {
  const enter = semaphore(1, 9, { waitingEachMax: 4 });
  const order: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = enter(() => held.promise, { owner: 'ani' });
  const late = enter(async () => order.push('late'), { owner: 'citra', waitMs: 5 });
  const works = ['ani 1', 'ani 2', 'ani 3', 'budi 1', 'budi 2', 'citra 1'].map((name) =>
    enter(async () => order.push(name), { owner: name.slice(0, -2) }),
  );
  await expect(late).rejects.toEqual(busy);
  held.resolve();
  await Promise.all([first, ...works]);
  expect(order).toEqual(['citra 1', 'ani 1', 'budi 1', 'ani 2', 'budi 2', 'ani 3']);
});

test('reserves a lane for another owner while one owner uses its share', async () => {
  const enter = semaphore(2, 9, { atOnceEach: 1 });
  const held = Promise.withResolvers<void>();
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    if (name === 'ani 1') await held.promise;
  };
  const first = enter(work('ani 1'), { owner: 'ani' });
  const second = enter(work('ani 2'), { owner: 'ani' });
  await enter(work('budi 1'), { owner: 'budi' });
  await enter(work('budi 2'), { owner: 'budi' });
  expect(order).toEqual(['ani 1', 'budi 1', 'budi 2']);
  held.resolve();
  await Promise.all([first, second]);
  expect(order.at(-1)).toBe('ani 2');
});
