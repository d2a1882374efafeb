import type { Config } from '#server/infra/config.ts';
import type { QueueNotice } from '#server/infra/notices.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

type NoticeOutcome = 'accepted' | 'opted_out';

export type BroadcastDeps = {
  sql: Sql;
  allAccountsSql: Sql;
  config: Pick<Config, 'MAINTENANCE' | 'MAINTENANCE_TEXT'>;
  queueNotice: QueueNotice;
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
