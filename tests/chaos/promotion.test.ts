import { expect, test } from 'vitest';
import { runPromotion } from './promotion/promotion.ts';

test('a standby that is promoted under load has every message that was accepted, once', async () => {
  const { broken, acceptedBefore, ...outcome } = await runPromotion({
    seed: 1,
    seconds: 4,
    how: 'killed',
  });
  expect(broken, JSON.stringify(outcome)).toEqual([]);
  expect(acceptedBefore).toBeGreaterThan(0);
});
