import { isLookedAt } from '#web/browser/tab/lookedAt.ts';
import { queryOptions } from '@tanstack/react-query';
import { perform } from '#web/api/act.ts';
import { loadModule } from '#web/api/lazyApi.ts';
import { keyStarts, type CacheChanges, type LivePatches, type Match } from '#web/live/patches.ts';
import type { SupportNews } from '#web/live/news.ts';

/** The page of customer service. */
const PAGE = '/customer-service';
/** A line older than this is no news any more: it came while the line was down. */
const NEWS_MS = 60_000;

/** How many lines of customer service are unread: also followed in a tab that nobody looks at. */
export const supportUnreadQuery = queryOptions({
  queryKey: ['support', 'unread'],
  queryFn: async ({ signal }) => {
    // No screen waits for it: its act comes after those of the first one.
    const { supportUnread } = await loadModule(import('#contract/support.ts'));
    return perform(supportUnread, {}, { signal });
  },
});

const support: Match = keyStarts(['support']);
const refetching = (_event: unknown, { refetch }: CacheChanges) => refetch(support);

/** Keeps every query whose key begins with `support` current. */
export const supportPatches: LivePatches = {
  follows: support,
  inBackground: keyStarts(supportUnreadQuery.queryKey),
  on: { 'support.message': refetching, 'support.changed': refetching },
};

/** A customer is told of the answers of operators. */
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
