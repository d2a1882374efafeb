import type { FlatPage } from '#web/api/lists/flatList.ts';
import type {
  SupportCard,
  SupportMessage,
  SupportSubject,
  SupportThread,
} from '#contract/support.ts';

/** What is written to a thread; `message_id` is the same for every try, so that it is sent once. */
export type SupportDraft = {
  message_id: string;
  text?: string | undefined;
  /** A finished upload. */
  upload?: string | undefined;
  contact?: { name: string; phone: string } | undefined;
  about?: { type: SupportSubject; id: string } | undefined;
  /** Only operators see it. */
  internal?: boolean | undefined;
};

/** What a thread is shown and written with, by one side. */
export type SupportPort = {
  /** Names the thread in caches, drafts and the outbox: `own`, or the customer's account id. */
  key: string;
  side: 'customer' | 'operator';
  /** The account of the thread, as live events name it; unknown to customers, who have one only. */
  accountId?: string | undefined;
  /** Its lines, newest first, from an offset on. */
  messages: (start: number, signal?: AbortSignal) => Promise<FlatPage<SupportMessage>>;
  /** How far each side has read; `undefined` while that is not known. */
  thread: Pick<SupportThread, 'customer_read' | 'operator_read'> | undefined;
  send: (draft: SupportDraft) => Promise<SupportMessage>;
  /** The newest line was seen. */
  read: (seq: number) => Promise<unknown>;
  /** Somebody is typing here; called at most every two seconds. */
  typing: () => Promise<unknown>;
  /** Where a card opens, for this side. */
  hrefOf: (card: SupportCard) => string;
};
