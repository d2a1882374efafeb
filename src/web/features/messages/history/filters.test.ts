import { expect, test } from 'vitest';
import { countSet, rangeOf, readFilters } from './filters.ts';

const token = `tok_${'0'.repeat(26)}`;

test('an address sets exactly the filters that it names', () => {
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

test('invalid filters of an old or broken link are dropped, so that the page still opens', () => {
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

test('a reversed range is swapped, and a single day is a range of one', () => {
  expect(rangeOf({ from: '2026-11-21', to: '2026-11-01' })).toEqual({
    from: '2026-11-01',
    to: '2026-11-21',
  });
  expect(rangeOf({ to: '2026-11-21' })).toEqual({ from: '2026-11-21', to: '2026-11-21' });
  expect(rangeOf({})).toBeNull();
});
