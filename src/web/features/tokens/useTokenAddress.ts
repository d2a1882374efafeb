import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import type { TableView } from '#web/ui/table/tableProps.ts';

/** What the address of `/token` says, and how to change it. */
export function useTokenAddress() {
  const search = useSearch('/token');
  const view: TableView = {
    page: search.page ?? 0,
    sort: search.sort_by
      ? { sort_by: search.sort_by, sort_type: search.sort_type ?? 'asc' }
      : undefined,
  };
  // Above the list, which stays where it is.
  const above = (change: Pick<typeof search, 'open' | 'view'>, replace = false) =>
    void navigate({ to: '/token', change, replace, resetScroll: false });
  return {
    view,
    open: search.open,
    making: search.view === 'new',
    linking: search.view === 'link',
    rejected: search.view === 'ditolak',
    setView: (next: TableView, { replace } = { replace: false }) =>
      void navigate({
        to: '/token',
        replace,
        change: {
          page: next.page || undefined,
          sort_by: next.sort?.sort_by,
          sort_type: next.sort?.sort_type,
        },
      }),
    make: () => above({ view: 'new', open: undefined }),
    show: (id: string, linking = false) => above({ open: id, view: linking ? 'link' : undefined }),
    close: () => above({ open: undefined, view: undefined }, true),
  };
}
