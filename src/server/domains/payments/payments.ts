import type { Config } from '#server/infra/config.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import type { KeptAct } from '#server/infra/acts/act.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { cancelling } from './topups/cancel.ts';
import { creating } from './topups/create.ts';
import { getting, listing } from './topups/read.ts';
import { summarising } from './topups/summary.ts';

export { receiveBankLine } from './bank.ts';
export { expireTopups } from './topups/expire.ts';
export { billingHolding } from './account-data.ts';
export { confirmTopupByHand, rejectTopupByHand, topupsForOperator } from './topups/review.ts';

export type BillingDeps = {
  /** The tenants' pool. */
  sql: Sql;
  prices: Prices;
  config: Pick<Config, 'KODE_UNIK' | 'BANK_NAME' | 'BANK_NUMBER' | 'BANK_HOLDER'>;
  now: () => Date;
};

/** The acts billing keeps: the saldo in one look, and top-ups. */
export const billingActs = (deps: BillingDeps): readonly KeptAct[] => [
  summarising(deps),
  creating(deps),
  listing(deps),
  getting(deps),
  cancelling(deps),
];
