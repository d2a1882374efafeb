import { useNavigate, useSearch } from '@tanstack/react-router';
import type { TableView } from '#web/ui/table/tableProps.ts';

/** What the address of `/token` says, and how to change it. */
export function useTokenAddress() {
  const search = useSearch({ from: '/app/token' });
  const navigate = useNavigate({ from: '/token' });
  const view: TableView = {
    page: search.page ?? 0,
    sort: search.sort_by
      ? { sort_by: search.sort_by, sort_type: search.sort_type ?? 'asc' }
      : undefined,
  };
  return {
    view,
    open: search.open,
    making: search.view === 'new',
    linking: search.view === 'link',
    setView: (next: TableView, { replace } = { replace: false }) =>
      void navigate({
        replace,
        search: (old) => ({
          ...old,
          page: next.page || undefined,
          sort_by: next.sort?.sort_by,
          sort_type: next.sort?.sort_type,
        }),
      }),
    make: () => void navigate({ search: (old) => ({ ...old, view: 'new', open: undefined }) }),
    show: (id: string, linking = false) =>
      void navigate({
        search: (old) => ({ ...old, open: id, view: linking ? 'link' : undefined }),
      }),
    close: () =>
      void navigate({
        search: (old) => ({ ...old, open: undefined, view: undefined }),
        replace: true,
      }),
  };
}
