import { expect, test } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { semaphore } from './semaphore.ts';

const busy = new Refusal('busy', { seconds: 5 });

test('who waits longer than the limit is refused, and the others keep their turns', async () => {
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

test('one more than may wait is refused at once', async () => {
  const enter = semaphore(1, 1);
  const held = Promise.withResolvers<string>();
  const inside = enter(() => held.promise);
  const waits = enter(async () => 'second');
  await expect(enter(async () => 'third')).rejects.toEqual(busy);
  held.resolve('first');
  expect(await Promise.all([inside, waits])).toEqual(['first', 'second']);
});
