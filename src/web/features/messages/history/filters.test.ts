import { expect, test } from 'vitest';
import { countSet, rangeOf, readFilters } from './filters.ts';

const token = `tok_${'0'.repeat(26)}`;

test('an address asks for exactly what it says', () => {
  const filters = readFilters({
    q: ' 0812 ',
    from: '2026-11-01',
    to: '2026-11-21',
    direction: 'out',
    status: ['read', 'waiting', 'sending', 'read'],
    type: 'image',
    token,
  });
  expect(filters).toEqual({
    q: '0812',
    from: '2026-11-01',
    to: '2026-11-21',
    direction: 'out',
    status: ['waiting', 'read'],
    type: 'image',
    token_id: token,
  });
  expect(countSet(filters)).toBe(5);
});

test('what an old or broken link says wrong is left out, so that the page still opens', () => {
  expect(
    readFilters({
      q: '0812'.repeat(30),
      from: '2026-02-31',
      direction: 'up',
      status: ['sending'],
      type: 'poem',
      token: 'x',
    }),
  ).toEqual({});
  expect(readFilters({ q: '  ' })).toEqual({});
  expect(countSet({})).toBe(0);
});

test('days written backwards are turned round, and one day alone is a range of one', () => {
  expect(rangeOf({ from: '2026-11-21', to: '2026-11-01' })).toEqual({
    from: '2026-11-01',
    to: '2026-11-21',
  });
  expect(rangeOf({ to: '2026-11-21' })).toEqual({ from: '2026-11-21', to: '2026-11-21' });
  expect(rangeOf({})).toBeNull();
});
