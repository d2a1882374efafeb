import type { PresenceDeps } from '#server/domains/channels/health.ts';
import type { ConnectDeps } from '#server/domains/tokens/tokens.ts';
import type { Library } from '#server/domains/media/media.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Topology } from '#server/infra/postgres/distribution/pools.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { WebEngine } from './engine/engine.ts';
import type { ReadFile } from './sending/content.ts';
import type { WebTimings } from './sockets/timings.ts';

export type WebDeps = PresenceDeps & {
  allAccountsSql: Sql;
  secrets: Secrets;
  engine: WebEngine;
  connecting: ConnectDeps;
  library: Pick<Library, 'take'>;
  readFile: ReadFile;
  startEach: Topology['startEach'];
  log: Log;
  report: (error: unknown) => void;
  timings: WebTimings;
};
