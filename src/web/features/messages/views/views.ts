import { queryOptions } from '@tanstack/react-query';
import { listViews, VIEW_DAYS_MAX, type ViewFilters } from '#contract/messages/history.ts';
import { perform } from '#web/api/act.ts';
import { readFilters, type FilterSearch } from '#web/features/messages/history/filters.ts';
import { viewsKey } from '#web/features/messages/queryKeys.ts';
import { daysIn, plusDays } from '#web/ui/date/dates.ts';

export type ViewSearch = FilterSearch & {
  sort_by?: string | undefined;
  sort_type?: 'asc' | 'desc' | undefined;
};

export const viewsQuery = queryOptions({
  queryKey: viewsKey,
  queryFn: ({ signal }) => perform(listViews, {}, { signal }),
});

export const builtInViews = (today: string): readonly { name: string; search: ViewSearch }[] => [
  { name: 'Semua', search: {} },
  { name: 'Masuk', search: { direction: 'in' } },
  { name: 'Menunggu', search: { status: ['waiting'] } },
  { name: 'Terjadwal', search: { status: ['scheduled'] } },
  { name: 'Gagal hari ini', search: { from: today, to: today, status: ['failed'] } },
];

/** The address of a saved view on a day: a moving range ends on it. */
export function searchOf(
  { token_id: token, days, sort_type, ...filters }: ViewFilters,
  today: string,
): ViewSearch {
  return {
    ...filters,
    ...(days !== undefined && { from: plusDays(today, 1 - days), to: today }),
    ...(token !== undefined && { token }),
    ...(sort_type !== undefined && { sort_by: 'created_at', sort_type }),
  };
}

/** The saved form of an address: a range that ends today moves along. */
export function filtersOf(search: ViewSearch, today: string): ViewFilters {
  const { from, to, ...filters } = readFilters(search);
  const isAscending = search.sort_by === 'created_at' && search.sort_type === 'asc';
  return {
    ...filters,
    ...(from !== undefined && to !== undefined && rangeOf({ from, to }, today)),
    ...(isAscending && { sort_type: 'asc' as const }),
  };
}

function rangeOf(range: { from: string; to: string }, today: string) {
  const days = daysIn(range);
  return range.to === today && days <= VIEW_DAYS_MAX ? { days } : range;
}

export function isSame(one: ViewSearch, other: ViewSearch, today: string): boolean {
  const written = (search: ViewSearch) =>
    JSON.stringify(
      Object.entries(filtersOf(search, today)).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  return written(one) === written(other);
}

export const isWorthSaving = (search: ViewSearch, today: string): boolean =>
  Object.keys(filtersOf(search, today)).length > 0;
