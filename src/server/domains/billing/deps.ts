import type { Config } from '#server/infra/config.ts';
import type { QueueNotice } from '#server/infra/notices.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';

/** For invoices and statements. */
export type InvoicesDeps = {
  sql: Sql;
  /** Verification by QR code is public, so it reads across accounts. */
  allAccountsSql: Sql;
  secrets: Secrets;
  config: Pick<Config, 'PAID_STAMP_OVER_5M'>;
  origin: () => string;
  now: () => Date;
};

/** For subscriptions. Charges use documents and numbers of the whole installation; each query names the account. */
export type BillingDeps = {
  allAccountsSql: Sql;
  queueNotice: QueueNotice;
  sendSystemText: (phone: string, text: string) => Promise<void>;
  report: (trouble: unknown) => void;
  now: () => Date;
};
