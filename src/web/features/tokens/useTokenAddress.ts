import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';

export function useTokenAddress() {
  const search = useSearch('/token');
  const list = useAddressView('/token', {
    sorts: ['name', 'last_used_at'],
    order: 'asc',
    top: true,
  });
  // Above the list, which stays where it is.
  const above = (change: Pick<typeof search, 'open' | 'view'>, replace = false) =>
    void navigate({ to: '/token', change, replace, resetScroll: false });
  return {
    ...list,
    open: search.open,
    making: search.view === 'new',
    linking: search.view === 'link',
    rejected: search.view === 'ditolak',
    make: () => above({ view: 'new', open: undefined }),
    show: (id: string, linking = false) => above({ open: id, view: linking ? 'link' : undefined }),
    close: () => above({ open: undefined, view: undefined }, true),
  };
}
