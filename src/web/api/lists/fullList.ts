import { queryOptions } from '@tanstack/react-query';
import { type Act, type InputFor, PAGE_SIZE } from '#contract/base/act.ts';
import { perform } from '#web/api/act.ts';
import type { ListAnswer } from '#web/api/listPages.ts';

type ListAct = Act & { list: 'default' };

/** Whether a list has `limit` rows, the most that it can have: then its last page has the last of them. */
export const fullListQuery = <A extends ListAct>(
  act: A,
  limit: number,
  filters: Omit<InputFor<A>, 'page'>,
) =>
  queryOptions({
    queryKey: [act.name, 'full', filters],
    queryFn: async ({ signal }) => {
      const page = Math.ceil(limit / PAGE_SIZE) - 1;
      const answer = await perform(act, { ...filters, page } as InputFor<A>, { signal });
      return (answer as ListAnswer<unknown>).rows.length >= limit - page * PAGE_SIZE;
    },
  });
