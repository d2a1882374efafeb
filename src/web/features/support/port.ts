import type { FlatPage } from '#web/api/lists/flatList.ts';
import type { SupportCard, SupportMessage, SupportThread } from '#contract/support.ts';

export type SupportPort = {
  /** Names the thread in caches, drafts and the outbox: `own`, or the customer's account id. */
  key: string;
  side: 'customer' | 'operator';
  /** The thread's account in live events; undefined for customers, who have only one thread. */
  accountId?: string | undefined;
  messages: (start: number, signal?: AbortSignal) => Promise<FlatPage<SupportMessage>>;
  /** The read position of each side; `undefined` while unknown. */
  thread: Pick<SupportThread, 'customer_read' | 'operator_read'> | undefined;
  read: (seq: number) => Promise<unknown>;
  /** Reports typing; called at most every two seconds. */
  typing: () => Promise<unknown>;
  /** The page of its record; undefined if it was deleted. */
  hrefOf: (card: SupportCard) => string | undefined;
};
