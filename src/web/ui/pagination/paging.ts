/** The paging of a list: the first page is 0 for `default` and 1 for the others. */
export type PagingType = 'default' | 'arrow' | 'manual';

/** The number of the first page on the wire. */
export const firstPage = (type: PagingType): number => (type === 'default' ? 0 : 1);

/** The whole numbers from `from` to `to`, both included; empty when `to` is before `from`. */
export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, step) => from + step);

/** Page numbers (from 1) within `reach` of the current one. */
export const pages = (current: number, total: number, reach = 5): number[] =>
  range(Math.max(1, current - reach), Math.min(total, current + reach));

/** A page number (from 1), clamped to the existing ones; 1 if there are none. */
export const clampPage = (page: number, total: number): number =>
  Math.max(1, Math.min(page, Math.max(1, total)));

/**
 * The page (as the wire counts) to show instead of one that no longer exists, because the list has become shorter;
 * `undefined` if it exists or the total is unknown.
 */
export function pageInstead(
  type: PagingType,
  page: number,
  totalPages: number | undefined,
): number | undefined {
  if (totalPages === undefined || totalPages < 1) return undefined;
  const last = totalPages - 1 + firstPage(type);
  return page > last ? last : undefined;
}
