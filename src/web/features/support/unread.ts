import { isLookedAt } from '#web/browser/tab/lookedAt.ts';
import { queryOptions } from '@tanstack/react-query';
import { perform } from '#web/api/act.ts';
import { loadModule } from '#web/api/lazyApi.ts';
import { keyStarts, type CacheChanges, type LivePatches, type Match } from '#web/live/patches.ts';
import type { SupportNews } from '#web/live/news.ts';

const PAGE = '/customer-service';
/** An older message is not new: it came while the connection was down. */
const NEWS_MS = 60_000;

/** The number of unread support messages; also updated in hidden tabs. */
export const supportUnreadQuery = queryOptions({
  queryKey: ['support', 'unread'],
  queryFn: async ({ signal }) => {
    // No screen waits for it: its act is loaded after those of the first screen.
    const { supportUnread } = await loadModule(import('#contract/support.ts'));
    return perform(supportUnread, {}, { signal });
  },
});

const support: Match = keyStarts(['support']);
const refetching = (_event: unknown, { refetch }: CacheChanges) => refetch(support);

/** Updates every query whose key begins with `support`. */
export const supportPatches: LivePatches = {
  follows: support,
  inBackground: keyStarts(supportUnreadQuery.queryKey),
  on: { 'support.message': refetching, 'support.changed': refetching },
};

export const supportNews: SupportNews = {
  isAbout: (url) => url === PAGE,
  kind: 'support.message',
  idOf: ({ id }) => id,
  isNews: ({ side, at }, serverNow) => side === 'operator' && serverNow - at.getTime() < NEWS_MS,
  noticeOf: () => ({
    tag: 'support',
    title: 'Layanan Pelanggan',
    body: 'Balasan baru',
    url: PAGE,
  }),
  isSeenAt: (url) => url === PAGE && window.location.pathname === PAGE && isLookedAt(),
};
