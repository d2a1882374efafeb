import type { MessageFacts } from '#server/domains/messages/messages.ts';
import type { QueueNotice } from '#server/infra/notices.ts';
import type { Outbound } from '#server/infra/net/outbound.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';

export type WebhookDeps = {
  sql: Sql;
  allAccountsSql: Sql;
  secrets: Secrets;
  outbound: Outbound;
  /** Facts of messages by their public id, for all accounts that `sql` sees. */
  messageFacts: (
    sql: Sql | Tx,
    refs: readonly { accountId: string; messageId: string }[],
  ) => Promise<ReadonlyMap<string, MessageFacts>>;
  queueNotice: QueueNotice;
  /** Sends a text to a phone; the same key sends it once. */
  sendSystemText: (phone: string, text: string, key: string) => Promise<void>;
  now: () => Date;
  report: (error: unknown) => void;
  onOutcome: (outcome: string) => void;
  tracing?: Tracing | undefined;
};
