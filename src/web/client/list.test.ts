import { expect, test } from 'vitest';
import { listInput } from '#web/client/list.ts';

const sort = { sort_by: 'created_at', sort_type: 'desc' } as const;

test('a list asks with the caller’s fields, its page, where it starts and how it is sorted', () => {
  expect(listInput('default', { status: 'read' }, { page: 2, sort })).toEqual({
    status: 'read',
    page: 2,
    start: 2,
    sort_by: 'created_at',
    sort_type: 'desc',
  });
  expect(listInput('arrow', {}, { page: 1 })).toEqual({ page: 1, start: 1 });
});

test('manual paging starts at an offset that grows by the rows of a page', () => {
  expect(listInput('manual', {}, { page: 1 })).toEqual({ page: 1, start: 0 });
  expect(listInput('manual', {}, { page: 3 })).toEqual({ page: 3, start: 20 });
  expect(listInput('manual', {}, { page: 3 }, 25)).toEqual({ page: 3, start: 50 });
});
