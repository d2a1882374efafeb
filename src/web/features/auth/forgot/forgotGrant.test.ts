import { expect, test } from 'vitest';
import { grantIn } from './forgotGrant.ts';

const grant = { grant: 'g'.repeat(43), phone: '6281234567890', expiresAt: 1_600_000 };

test('a grant is good until its moment, and not a millisecond longer', () => {
  const stored = JSON.stringify(grant);
  expect(grantIn(stored, 1_599_999)).toEqual(grant);
  expect(grantIn(stored, 1_600_000)).toBeUndefined();
});

test('what is not ours is no grant', () => {
  const odd = [undefined, '', '{', 'null', '[]', '{"grant":"g"}', '{"grant":1,"phone":"62"}'];
  for (const text of odd) expect(grantIn(text, 0)).toBeUndefined();
});
