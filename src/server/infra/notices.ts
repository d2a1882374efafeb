import type { Tx } from './postgres/database.ts';

/** A notice for the browsers of an account, shown by push. */
export type Notice = {
  accountId: string;
  title: string;
  body: string;
  url: string;
  /** Letters, digits, `-` and `_`: a newer notice of a tag replaces one that waits or is shown. */
  tag: string;
};

/** Queues a notice in the given transaction. */
export type QueueNotice = (tx: Tx, notice: Notice) => Promise<void>;
