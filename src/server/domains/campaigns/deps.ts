import type { ApiMessages } from '#server/domains/messages/messages.ts';
import type { Library, Uploads } from '#server/domains/media/media.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

export type CampaignDeps = {
  sql: Sql;
  /** Sees all accounts: the worker sends for any of them. */
  allAccountsSql: Sql;
  send: ApiMessages['send'];
  uploads: Pick<Uploads, 'read' | 'revert'>;
  adopt: Library['adopt'];
  /** Highest rate of a token in messages per second; 0 means no limit. */
  pacePerSecond: () => number;
  now: () => Date;
  report: (error: unknown) => void;
  onStored: () => void;
};
