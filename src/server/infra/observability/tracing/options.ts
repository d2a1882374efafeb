import type { Config } from '#server/infra/config.ts';
import type { Log } from '#server/infra/observability/log.ts';

export type TracingOptions = {
  config: Config;
  log: Log;
  version: string;
};
