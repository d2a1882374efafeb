import type { ConnectDeps } from '#server/domains/tokens/tokens.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Library } from '#server/domains/media/media.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { WebEngine } from './engine/engine.ts';
import type { ReadFile } from './sending/content.ts';
import type { WebTimings } from './sockets/timings.ts';

/** What the owner of a token is told of its number, in Indonesian. */
export type NumberNotice = TokenRef & { title: string; body: string };

/** What the channel needs. */
export type WebDeps = {
  allAccountsSql: Sql;
  secrets: Secrets;
  engine: WebEngine;
  connecting: ConnectDeps;
  library: Pick<Library, 'take'>;
  readFile: ReadFile;
  /** Tells the owner of a token, in the transaction of the cause. */
  notify: (tx: Tx, notice: NumberNotice) => Promise<void>;
  log: Log;
  report: (error: unknown) => void;
  timings: WebTimings;
};
