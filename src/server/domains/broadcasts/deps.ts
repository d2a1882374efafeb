import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

type NoticeOutcome = 'accepted' | 'opted_out';

export type BroadcastDeps = {
  sql: Sql;
  allAccountsSql: Sql;
  config: Pick<Config, 'MAINTENANCE' | 'MAINTENANCE_TEXT'>;
  /** Queues a notice for the browsers of an account, in the given transaction. */
  queueNotice: (
    tx: Tx,
    notice: { accountId: string; title: string; body: string; url: string; tag: string },
  ) => Promise<void>;
  /**
   * Sends a text from the installation's token, at the lowest priority, once per key; may throw.
   */
  sendNotice: (notice: {
    to: string;
    text: string;
    key: string;
    expiresAt: Date;
  }) => Promise<NoticeOutcome>;
  now: () => Date;
  report: (trouble: unknown) => void;
};
