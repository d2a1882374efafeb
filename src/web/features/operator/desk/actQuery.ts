import { queryOptions } from '@tanstack/react-query';
import type { Act, InputFor } from '#contract/base/act.ts';
import { perform } from '#web/api/act.ts';

/** What an act without a list answers, known by its name. */
export const actQuery = <A extends Act>(act: A, input: InputFor<A>) =>
  queryOptions({
    queryKey: [act.name, input],
    queryFn: ({ signal }) => perform(act, input, { signal }),
    // Nothing tells an operator what others have done since.
    staleTime: 0,
  });
