import { threadAt, threadUrl } from '#web/features/operator/support/address.ts';
import { isSeen } from '#web/features/operator/support/thread/openThread.ts';
import type { SupportNews } from '#web/live/news.ts';

/** An older message is not new: it came while the connection was down. */
const NEWS_MS = 60_000;

/** The tag of a browser's notices about a customer's thread: pushes have the same. */
export const noticeTag = (accountId: string): string => `support-${accountId}`;

export const inboxNews: SupportNews = {
  kind: 'support.message',
  idOf: ({ id }) => id,
  isNews: ({ side, at }, serverNow) => side === 'customer' && serverNow - at.getTime() < NEWS_MS,
  noticeOf: ({ account_id, name }) => ({
    tag: noticeTag(account_id),
    title: name,
    body: 'Menulis ke layanan pelanggan',
    url: threadUrl(account_id),
  }),
  isSeenAt: (url) => {
    const accountId = threadAt(url);
    return accountId !== undefined && isSeen(accountId);
  },
  isAbout: (url) => threadAt(url) !== undefined,
};
