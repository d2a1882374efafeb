import type {
  OrderDeps,
  ReviewDeps,
  StatementDeps,
  StatusOf,
} from '#server/domains/payments/payments.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import type { Config } from '#server/infra/config.ts';

export type OperatorDeps = MoneyDeps & ReviewDeps & StatementDeps;

export type MoneyDeps = OrderDeps & {
  config: Pick<Config, 'FOUR_EYES_ABOVE' | 'FOUR_EYES_DAY_ABOVE' | 'PPN'>;
  prices: Pick<Prices, 'refresh'>;
  /** Fetches a payment's status from its gateway; absent without gateways. */
  statusOf?: StatusOf;
};
