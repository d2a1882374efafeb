import { expect, test } from 'vitest';
import { createRateLimiter } from './access.ts';

test('a token may make twice its rate at once, then its steady rate', () => {
  let now = 0;
  const { take } = createRateLimiter(5, () => now);
  const burst = Array.from({ length: 11 }, () => take('ani').waitSeconds);
  expect(burst).toEqual([...Array.from({ length: 10 }, () => 0), 1]);
  now += 200;
  expect([take('ani').waitSeconds, take('ani').waitSeconds]).toEqual([0, 1]);
});

test('a token at its limit stays limited, however many others call', () => {
  const { take } = createRateLimiter(5, () => 0);
  for (let n = 0; n < 11; n++) take('ani');
  for (let n = 0; n < 120_000; n++) {
    take(`token ${n}`);
    if (n % 1_000 === 0) expect(take('ani').waitSeconds, String(n)).toBe(1);
  }
});
