import { expect, test } from 'vitest';
import { readFilters } from '#web/features/webhooks/deliveries/filters.ts';

test('an address becomes filters, and invalid ones are dropped', () => {
  expect(readFilters({ state: 'parked', type: 'message.read', peer: '0812-3456-7890' })).toEqual({
    state: 'parked',
    type: 'message.read',
    peer: '0812-3456-7890',
  });
  expect(
    readFilters({ state: 'lost', type: 'message.*', peer: '0812', from: '2026-02-31' }),
  ).toEqual({});
});

test('days are read in either order, and a single one is a range', () => {
  const range = { from: '2026-11-01', to: '2026-11-21' };
  expect(readFilters({ from: range.to, to: range.from })).toEqual(range);
  expect(readFilters({ to: '2026-11-21' })).toEqual({ from: '2026-11-21', to: '2026-11-21' });
});
