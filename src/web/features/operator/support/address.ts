import type { SupportSubject } from '#contract/support.ts';
import { hrefOf, navigate, type How } from '#web/browser/router/navigation.ts';
import type { Search } from '#web/browser/router/routes.ts';

const PAGE = '/operator/layanan';

type Change = Search<typeof PAGE>;

export const goInbox = (change: Change, how: How = {}): void =>
  void navigate({ to: PAGE, change, resetScroll: false, ...how });

export const threadUrl = (accountId: string): string =>
  hrefOf({ to: PAGE, search: { open: accountId } });

/** The customer whose thread an address shows; `undefined` for any other page. */
export function threadAt(url: string): string | undefined {
  const [path, query] = url.split('?', 2);
  if (path !== PAGE) return undefined;
  return new URLSearchParams(query?.split('#', 1)[0]).get('open') ?? undefined;
}

export function customerUrl(
  accountId: string,
  about?: { type: SupportSubject; id: string },
): string {
  const params = new URLSearchParams({ open: accountId });
  if (about) params.set(about.type, about.id);
  return `/operator/pelanggan?${params}`;
}
