import { queryOptions } from '@tanstack/react-query';
import type { Act, InputFor } from '#contract/base/act.ts';
import { perform } from '#web/api/act.ts';

/** The query of an act without a list, keyed by its name. */
export const actQuery = <A extends Act>(act: A, input: InputFor<A>) =>
  queryOptions({
    queryKey: [act.name, input],
    queryFn: ({ signal }) => perform(act, input, { signal }),
    // No event reports the work of other operators.
    staleTime: 0,
  });

/** Matches every query of the operator's side: after a change they are all refetched. */
export const isOperatorQuery = ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
  String(queryKey[0]).startsWith('operator_');
