import type {
  OrderDeps,
  ReviewDeps,
  StatementDeps,
  StatusOf,
} from '#server/domains/payments/payments.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

export type OperatorDeps = OrderDeps &
  ReviewDeps &
  StatementDeps & {
    config: Pick<Config, 'FOUR_EYES_ABOVE' | 'FOUR_EYES_DAY_ABOVE' | 'PPN'>;
    prices: Pick<Prices, 'refresh'>;
    /** Fetches a payment's status from its gateway; absent without gateways. */
    statusOf?: StatusOf;
  };

/** For the overview and the acts on customers. */
export type ConsoleDeps = Pick<OperatorDeps, 'allAccountsSql' | 'now' | 'config' | 'report'> & {
  /** Sends a text through the installation's own token; the same `key` sends it once. */
  sendSystemText: (phone: string, text: string, shownText: string, key: string) => Promise<void>;
  evictSessions: (sessionIds: readonly string[]) => Promise<void>;
  dataFolder: string;
  disks: { full: () => readonly string[] };
  version: string;
  build: string;
  /** Whether the installation can send codes. */
  codesGoOut: (allAccountsSql: Sql) => Promise<boolean>;
  supportFigures: (allAccountsSql: Sql) => Promise<{ waiting: number; oldest: Date | null }>;
  /** A monotonic clock, in milliseconds. */
  clockMs?: () => number;
};
