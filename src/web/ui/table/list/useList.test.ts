import { expect, test } from 'vitest';
import { listInput } from '#web/ui/table/list/useList.ts';
import { firstStarts, startsAfter } from '#web/api/listPages.ts';

const sort = { sort_by: 'created_at', sort_type: 'desc' } as const;

test('a list request has the caller’s fields, its page, its start and its sort order', () => {
  expect(listInput('default', { status: 'read' }, { page: 2, sort })).toEqual({
    status: 'read',
    page: 2,
    start: 2,
    sort_by: 'created_at',
    sort_type: 'desc',
  });
  expect(listInput('arrow', {}, { page: 1 })).toEqual({ page: 1, start: 1 });
});

test('manual paging starts at an offset that every answer moves by its count', () => {
  expect(listInput('manual', {}, { page: 1 })).toEqual({ page: 1, start: 0 });
  const starts = startsAfter(firstStarts, 1, 25);
  expect(listInput('manual', {}, { page: 2 }, starts)).toEqual({ page: 2, start: 25 });
});
