import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Act, InputFor, OutputOf, Paging } from '#contract/act.ts';
import { PAGE_SIZE } from '#contract/act.ts';
import { perform } from '#web/client/act.ts';
import type { ListAnswer } from '#web/client/answer.ts';
import { isAbort, sentenceOf } from '#web/client/errors.ts';
import type { TableView } from '#web/ui/DataTable.tsx';
import { firstPage } from '#web/ui/rules/paging.ts';
import { toast } from '#web/ui/toasts.ts';

type ListAct = Act & { list: Paging };
type Filters<A extends Act> = Omit<InputFor<A>, 'page' | 'start' | 'sort_by' | 'sort_type'>;

type Options = {
  /** Told about a failure, after the toast. */
  onError?: (error: Error) => void;
  enabled?: boolean;
};

/** What a list is asked with: the caller's fields, where it stands, how it is sorted. */
export function listInput(
  paging: Paging,
  filters: Readonly<Record<string, unknown>>,
  view: TableView,
  pageRows = PAGE_SIZE,
): Record<string, unknown> {
  const start = paging === 'manual' ? (view.page - firstPage('manual')) * pageRows : view.page;
  return { ...filters, page: view.page, start, ...view.sort };
}

/** The query key of every page of a list: to invalidate them all. */
export const listKey = (act: Act): readonly [string] => [act.name];

/**
 * A page of a list, for `DataTable`: spread `table` into it.
 *
 * The rows stay while the next page is on its way. A failure is told in a toast and leaves an empty
 * list, as specified.
 */
export function useList<A extends ListAct>(
  act: A,
  filters: Filters<A>,
  view: TableView,
  { onError, enabled = true }: Options = {},
) {
  const [pageRows, setPageRows] = useState(PAGE_SIZE);
  const input = listInput(act.list, filters, view, pageRows);
  const query = useQuery({
    queryKey: [...listKey(act), input],
    queryFn: async ({ signal }) => {
      const answer = await perform(act, input as InputFor<A>, { signal });
      return answer as ListAnswer<OutputOf<A>>;
    },
    placeholderData: keepPreviousData,
    enabled,
  });
  const { data, error } = query;
  // The last page may be shorter; only a longer one says more about how long a page is.
  if (data && data.count > pageRows) setPageRows(data.count);
  const told = useRef(onError);
  useEffect(() => {
    told.current = onError;
  });
  useEffect(() => {
    if (!error || isAbort(error)) return;
    toast(sentenceOf(error), { tone: 'danger' });
    told.current?.(error);
  }, [error]);

  const rows = error ? [] : (data?.rows ?? []);
  return {
    ...query,
    table: {
      type: act.list,
      rows,
      totalPages: error ? 0 : (data?.totalPages ?? (act.list === 'manual' ? undefined : 0)),
      hasMore: rows.length >= PAGE_SIZE,
      loading: query.isPending,
      busy: query.isPlaceholderData,
      view,
    },
  };
}
