import type { FlatPage } from '#web/api/lists/flatList.ts';
import type {
  SupportCard,
  SupportMessage,
  SupportSubject,
  SupportThread,
} from '#contract/support.ts';

/** A message to a thread; `message_id` is the same for every attempt, so that it is sent once. */
export type SupportDraft = {
  message_id: string;
  text?: string | undefined;
  upload?: string | undefined;
  contact?: { name: string; phone: string } | undefined;
  about?: { type: SupportSubject; id: string } | undefined;
  internal?: boolean | undefined;
};

export type SupportPort = {
  /** Names the thread in caches, drafts and the outbox: `own`, or the customer's account id. */
  key: string;
  side: 'customer' | 'operator';
  /** The thread's account in live events; undefined for customers, who have only one thread. */
  accountId?: string | undefined;
  messages: (start: number, signal?: AbortSignal) => Promise<FlatPage<SupportMessage>>;
  /** The read position of each side; `undefined` while unknown. */
  thread: Pick<SupportThread, 'customer_read' | 'operator_read'> | undefined;
  send: (draft: SupportDraft) => Promise<SupportMessage>;
  read: (seq: number) => Promise<unknown>;
  /** Reports typing; called at most every two seconds. */
  typing: () => Promise<unknown>;
  /** The page of its record; undefined if it was deleted. */
  hrefOf: (card: SupportCard) => string | undefined;
};
