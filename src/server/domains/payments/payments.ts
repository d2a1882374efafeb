import type { Config } from '#server/infra/config.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import type { ActHandler } from '#server/infra/acts/act.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { cancelTopupHandler } from './topups/cancel.ts';
import { createTopupHandler } from './topups/create.ts';
import { getTopupHandler, listTopupsHandler } from './topups/read.ts';
import { saldoSummaryHandler } from './topups/summary.ts';

export { receiveBankLine } from './bank.ts';
export { expireTopups } from './topups/expire.ts';
export { paymentsAccountData } from './account-data.ts';
export { confirmTopupByHand, rejectTopupByHand, topupsForOperator } from './topups/review.ts';

export type PaymentsDeps = {
  /** The pool that sees one account at a time. */
  sql: Sql;
  prices: Prices;
  config: Pick<Config, 'KODE_UNIK' | 'BANK_NAME' | 'BANK_NUMBER' | 'BANK_HOLDER'>;
  now: () => Date;
};

/** The acts of payments: the saldo summary, and top-ups. */
export const paymentsActs = (deps: PaymentsDeps): readonly ActHandler[] => [
  saldoSummaryHandler(deps),
  createTopupHandler(deps),
  listTopupsHandler(deps),
  getTopupHandler(deps),
  cancelTopupHandler(deps),
];
