import type { Rupiah } from '#contract/base/money.ts';
import type { LiveHub } from '#server/domains/events/events.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { OpeningHours, UsualAnswer } from './hours.ts';

export type SupportDeps = {
  sql: Sql;
  allAccountsSql: Sql;
  now: () => Date;
  secrets: Secrets;
  /** The installation's own account: its users are the operators. */
  systemAccountId: string;
  fileLink: (accountId: string, fileId: string) => string;
  hub: Pick<LiveHub, 'signal'>;
  messagePrice: () => Rupiah;
  hours: () => OpeningHours;
  usualAnswer: UsualAnswer;
  /** Called after each COMMIT that wrote an event to the outbox, or a notice. */
  onNews: () => void;
};

export type Viewer = { side: 'customer' | 'operator'; userId: string };
