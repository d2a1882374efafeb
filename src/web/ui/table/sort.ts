export type Sort = { sort_by: string; sort_type: 'asc' | 'desc' };

/** The sort order after a click on a column's header: ascending first, then toggled, never unsorted. */
export const nextSort = (sort: Sort | null | undefined, column: string): Sort =>
  sort?.sort_by === column && sort.sort_type === 'asc'
    ? { sort_by: column, sort_type: 'desc' }
    : { sort_by: column, sort_type: 'asc' };

/** The `aria-sort` of a header. */
export function ariaSort(
  sort: Sort | null | undefined,
  column: string,
): 'ascending' | 'descending' | 'none' {
  if (sort?.sort_by !== column) return 'none';
  return sort.sort_type === 'asc' ? 'ascending' : 'descending';
}
