import type {
  OrderDeps,
  ReviewDeps,
  StatementDeps,
  StatusOf,
} from '#server/domains/payments/payments.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

export type OperatorDeps = DeskDeps & ReviewDeps & StatementDeps & Pick<OrderDeps, 'settle'>;

/** What the money desk needs; its other pages need more. */
export type DeskDeps = {
  /** Sees every account. */
  allAccountsSql: Sql;
  now: () => Date;
  config: Pick<Config, 'FOUR_EYES_ABOVE' | 'FOUR_EYES_DAY_ABOVE' | 'PPN'>;
  prices: Pick<Prices, 'refresh'>;
  /** Give payments back. */
  gateways: OrderDeps['gateways'];
  report: OrderDeps['report'];
  /** Asks a gateway about a payment of its own; left out while there is none. */
  statusOf?: StatusOf;
};
