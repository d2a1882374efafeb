import { use } from 'react';
import { goTo, hrefOf } from '#web/browser/router/navigation.ts';
import { SearchContext } from '#web/browser/router/Router.tsx';
import type { Path, Search } from '#web/browser/router/routes.ts';
import type { listFields, SearchOf } from '#web/browser/router/searchFields.ts';
import type { Sort } from '#web/ui/table/sort.ts';
import type { TableProps, TableView } from '#web/ui/table/tableProps.ts';

type ListSearch = SearchOf<typeof listFields>;

export type ListPath = { [P in Path]: 'page' extends keyof Search<P> ? P : never }[Path];

type Options = {
  /** The number of the first page: 1 for lists whose paging is not `default`. */
  first?: 0 | 1;
  /** The sortable columns; others in the address are ignored. */
  sorts?: readonly string[];
  /** The direction if the address has only a column. */
  order?: Sort['sort_type'];
  /** Scrolls to the top on another page: for lists that fill their page. */
  top?: boolean;
  /** The field of the page in the address, for a second list on a page. */
  pageField?: string;
};

type AddressView = { view: TableView } & Pick<TableProps<never>, 'onView'>;

/** The view of a page's list, stored in its address and changed by its table. */
export function useAddressView(
  to: ListPath,
  { first = 0, sorts = [], order = 'desc', top = false, pageField = 'page' }: Options = {},
): AddressView {
  const search = use(SearchContext) as ListSearch & Record<string, unknown>;
  const { sort_by = '', sort_type = order } = search;
  const page = (search[pageField] as number | undefined) ?? first;
  return {
    view: { page, sort: sorts.includes(sort_by) ? { sort_by, sort_type } : null },
    onView: ({ page: next, sort }, how) => {
      const change = { [pageField]: next > first ? next : undefined, ...sort };
      void goTo(hrefOf({ to, change }), { replace: how?.replace, resetScroll: top });
    },
  };
}
