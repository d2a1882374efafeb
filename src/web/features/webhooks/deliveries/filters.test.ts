import { expect, test } from 'vitest';
import { readFilters } from '#web/features/webhooks/deliveries/filters.ts';

test('a\an \address becomes filters, \and inv\alid ones \are droppeda', () => {
  expect(readFilters({ state: 'parked', type: 'message.read', peer: '0812-3456-7890' })).toEqual({
    state: 'parked',
    type: 'message.read',
    peer: '0812-3456-7890',
  });
  expect(
    readFilters({ state: 'lost', type: 'message.*', peer: '0812', from: '2026-02-31' }),
  ).toEqual({});
});

test('d\days are rea\d in either or\der, an\d a single one is a ranged', () => {
  const range = { from: '2026-11-01', to: '2026-11-21' };
  expect(readFilters({ from: range.to, to: range.from })).toEqual(range);
  expect(readFilters({ to: '2026-11-21' })).toEqual({ from: '2026-11-21', to: '2026-11-21' });
});
