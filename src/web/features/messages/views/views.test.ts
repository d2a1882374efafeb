import { expect, test } from 'vitest';
import {
  builtInViews,
  filtersOf,
  isSame,
  isWorthSaving,
  searchOf,
} from '#web/features/messages/views/views.ts';

const today = '2026-11-26';
const token = `tok_${'0'.repeat(26)}`;

test('a view opens its filters, with ranges that end today as of the current day', () => {
  const search = { q: 'Budi', status: ['failed'], token, from: '2026-11-20', to: today };
  const filters = filtersOf({ ...search, sort_by: 'created_at', sort_type: 'asc' }, today);
  expect(filters).toEqual({
    q: 'Budi',
    status: ['failed'],
    token_id: token,
    days: 7,
    sort_type: 'asc',
  });
  expect(searchOf(filters, '2026-12-01')).toEqual({
    q: 'Budi',
    status: ['failed'],
    token,
    from: '2026-11-25',
    to: '2026-12-01',
    sort_by: 'created_at',
    sort_type: 'asc',
  });
});

test('past days stay the same', () => {
  const search = { from: '2026-10-01', to: '2026-10-31' };
  expect(filtersOf(search, today)).toEqual(search);
  expect(searchOf(search, today)).toEqual(search);
});

test('invalid parameters of an address are neither saved nor compared', () => {
  expect(filtersOf({ status: ['lenyap'], q: '  ' }, today)).toEqual({});
  expect(isWorthSaving({ status: ['lenyap'] }, today)).toBe(false);
  expect(isWorthSaving({ sort_by: 'created_at', sort_type: 'asc' }, today)).toBe(true);
  expect(isSame({ status: ['lenyap'] }, {}, today)).toBe(true);
});

test('a view is the current one however its address is written', () => {
  const [all, incoming, , , failed] = builtInViews(today);
  expect(
    isSame(all?.search ?? { q: '-' }, { sort_by: 'created_at', sort_type: 'desc' }, today),
  ).toBe(true);
  expect(isSame(incoming?.search ?? {}, { direction: 'in', q: '' }, today)).toBe(true);
  expect(isSame(failed?.search ?? {}, { status: ['failed'], from: today }, today)).toBe(true);
  expect(isSame(failed?.search ?? {}, { status: ['failed'] }, today)).toBe(false);
});
