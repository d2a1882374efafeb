import type { Config } from '#server/platform/config.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import type { KeptAct } from '#server/platform/act.ts';
import type { Sql } from '#server/platform/database.ts';
import { cancelling } from './cancel.ts';
import { creating } from './create.ts';
import { getting, listing } from './read.ts';
import { summarising } from './summary.ts';

export { receiveBankLine } from './bank.ts';
export { expireTopups } from './expire.ts';
export { billingHolding } from './holding.ts';
export { confirmTopupByHand, rejectTopupByHand, topupsForOperator } from './review.ts';

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
