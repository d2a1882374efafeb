import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Act, InputFor, OutputOf, Paging } from '#contract/base/act.ts';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { perform } from '#web/api/act.ts';
import { isAbort, sentenceOf } from '#web/api/errors.ts';
import {
  firstStarts,
  startOf,
  startsAfter,
  type ListAnswer,
  type Starts,
} from '#web/api/listPages.ts';
import type { TableView } from '#web/ui/table/tableProps.ts';
import { toast } from '#web/ui/toast/toasts.ts';

type ListAct = Act & { list: Paging };
type Fields = Readonly<Record<string, unknown>>;
/** The fields of a list act, without its page and its sort order. */
export type ListFields<A extends Act> = Omit<
  InputFor<A>,
  'page' | 'start' | 'sort_by' | 'sort_type'
>;

type Options = {
  /** Called on a failure, after the toast. */
  onError?: (error: Error) => void;
  enabled?: boolean;
  /** The refetch interval in ms while the tab is visible, for lists without live events. */
  everyMs?: number;
};

/** The input of a list request: the caller's fields, the view, the sort order. */
export function listInput(
  paging: Paging,
  filters: Fields,
  view: TableView,
  starts: Starts = firstStarts,
): Record<string, unknown> {
  const start = paging === 'manual' ? startOf(starts, view.page) : view.page;
  return { ...filters, page: view.page, start, ...view.sort };
}

/** The query key of every page of a list: to invalidate them all. */
export const listKey = (act: Act): readonly [string] => [act.name];

/** The toast's text: an error without a sentence shows its message ('Error'). */
const messageOf = (error: Error): string =>
  error.name === 'Error' && error.message !== '' ? error.message : sentenceOf(error);

/**
 * A page of a list, for `DataTable`: spread `table` into it.
 *
 * The rows stay while the next page loads. A failure is reported in a toast and leaves an empty list, as specified.
 */
export function useList<A extends ListAct>(
  act: A,
  filters: ListFields<A>,
  view: TableView,
  options: Options = {},
) {
  const ask = async (input: Fields, signal: AbortSignal) => {
    const answer = await perform(act, input as InputFor<A>, { signal });
    return answer as ListAnswer<OutputOf<A>>;
  };
  return usePages({ key: listKey(act), paging: act.list, ask }, filters, view, options);
}

type Source<Row> = {
  key: readonly [string];
  paging: Paging;
  ask: (input: Fields, signal: AbortSignal) => Promise<ListAnswer<Row>>;
};

/** The same for a list that is not read by an act. */
export function usePages<Row>(
  { key, paging, ask }: Source<Row>,
  filters: Fields,
  view: TableView,
  { onError, enabled = true, everyMs }: Options = {},
) {
  const { starts, learn } = useStarts([key, filters, view.sort]);
  const input = listInput(paging, filters, view, starts);
  const query = useQuery({
    queryKey: [...key, input],
    queryFn: ({ signal }) => ask(input, signal),
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: everyMs ?? false,
  });
  const { data, error, isPlaceholderData, isFetching } = query;
  if (data && paging === 'manual' && !isPlaceholderData) learn(view.page, data.count);
  useFailure(error, onError);

  const rows = error ? [] : (data?.rows ?? []);
  return {
    ...query,
    table: {
      type: paging,
      rows,
      totalPages: error ? 0 : (data?.totalPages ?? (paging === 'manual' ? undefined : 0)),
      hasMore: rows.length >= PAGE_SIZE,
      loading: query.isPending,
      busy: isPlaceholderData || (error !== null && isFetching),
      view,
    },
  };
}

function useStarts(request: unknown) {
  const of = JSON.stringify(request);
  const [known, setKnown] = useState({ of, starts: firstStarts });
  const starts = known.of === of ? known.starts : firstStarts;
  const learn = (page: number, count: number) => {
    const next = startsAfter(starts, page, count);
    if (next !== starts) setKnown({ of, starts: next });
  };
  return { starts, learn };
}

function useFailure(error: Error | null, onError: Options['onError']): void {
  const newest = useRef(onError);
  useEffect(() => {
    newest.current = onError;
  });
  useEffect(() => {
    if (!error || isAbort(error)) return;
    toast(messageOf(error), { tone: 'danger' });
    newest.current?.(error);
  }, [error]);
}
