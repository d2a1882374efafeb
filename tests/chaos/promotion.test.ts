import { expect, test } from 'vitest';
import { runPromotion } from './promotion/promotion.ts';

test('keeps every accepted message once when a standby is promoted under load', async () => {
  const { broken, acceptedBefore, ...outcome } = await runPromotion({
    seed: 1,
    seconds: 4,
    how: 'killed',
  });
  expect(broken, JSON.stringify(outcome)).toEqual([]);
  expect(acceptedBefore).toBeGreaterThan(0);
});
