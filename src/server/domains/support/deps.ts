import type { Rupiah } from '#contract/base/money.ts';
import type { LiveHub } from '#server/domains/events/events.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { OpeningHours, UsualAnswer } from './hours.ts';

/** What this domain works with. */
export type SupportDeps = {
  /** Sees one account at a time: the customers' side. */
  sql: Sql;
  /** Sees all: the operators' side. */
  allAccountsSql: Sql;
  now: () => Date;
  secrets: Secrets;
  /** The installation's own account: its users are the operators. */
  systemAccountId: string;
  fileLink: (accountId: string, fileId: string) => string;
  hub: Pick<LiveHub, 'signal'>;
  /** What a message costs by the list. */
  messagePrice: () => Rupiah;
  /** When somebody answers. */
  hours: () => OpeningHours;
  usualAnswer: UsualAnswer;
  /** Called after each COMMIT that left news in the outbox, or a notice. */
  onNews: () => void;
};

/** Who looks at a thread, and from which side. */
export type Viewer = { side: 'customer' | 'operator'; userId: string };
