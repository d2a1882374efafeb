export type Sort = { sort_by: string; sort_type: 'asc' | 'desc' };

/** A click on a column's header: ascending first, then the other way, never "unsorted". */
export const nextSort = (sort: Sort | null | undefined, column: string): Sort =>
  sort?.sort_by === column && sort.sort_type === 'asc'
    ? { sort_by: column, sort_type: 'desc' }
    : { sort_by: column, sort_type: 'asc' };

/** What a header announces to screen readers. */
export function ariaSort(
  sort: Sort | null | undefined,
  column: string,
): 'ascending' | 'descending' | 'none' {
  if (sort?.sort_by !== column) return 'none';
  return sort.sort_type === 'asc' ? 'ascending' : 'descending';
}
