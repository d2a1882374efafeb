import { expect, test } from 'vitest';
import { skeletonLeftMs } from '#web/ui/skeleton/useSkeleton.ts';

test.each([
  [0, 0],
  [119, 0],
  [120, 300],
  [200, 220],
  [420, 0],
  [5_000, 0],
])('after %d ms of waiting a skeleton stays for %d ms more', (waited, left) => {
  expect(skeletonLeftMs(waited)).toBe(left);
});
