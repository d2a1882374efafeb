import type { Config } from '#server/infra/config.ts';
import type { Log } from '#server/infra/observability/log.ts';

/** What traces are recorded with. */
export type TracingOptions = {
  config: Config;
  log: Log;
  /** The release that runs. */
  version: string;
};
