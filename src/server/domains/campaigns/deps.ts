import type { ApiMessages } from '#server/domains/messages/messages.ts';
import type { Library, Uploads } from '#server/domains/media/media.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/** What this domain works with. */
export type CampaignDeps = {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all: the worker places for any account. */
  allAccountsSql: Sql;
  /** Places messages as the public API does. */
  send: ApiMessages['send'];
  uploads: Pick<Uploads, 'read' | 'revert'>;
  adopt: Library['adopt'];
  /** Messages a second that a token sends at most; 0 without a limit. */
  pacePerSecond: () => number;
  now: () => Date;
  report: (error: unknown) => void;
  /** Called after each COMMIT that left news in the outbox. */
  onStored: () => void;
};
