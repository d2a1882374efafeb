import { confirmTopup, operatorTopups, rejectTopup } from '#contract/operator.ts';
import {
  confirmTopupByHand,
  rejectTopupByHand,
  topupsForOperator,
} from '#server/domains/payments/payments.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

export type OperatorDeps = {
  /** Sees every account. */
  allAccountsSql: Sql;
  now: () => Date;
};

/** The acts of operators, who see all accounts; the endpoint refuses everybody else. */
export const operatorActs = (deps: OperatorDeps): readonly ActHandler[] => [
  handle(operatorTopups, (_, input) => topupsForOperator(deps, input)),
  handle(confirmTopup, ({ caller }, { topup_id, reference, reason }) =>
    confirmTopupByHand(deps, { topupId: topup_id, operatorId: caller.userId, reference, reason }),
  ),
  handle(rejectTopup, ({ caller }, { topup_id, reason }) =>
    rejectTopupByHand(deps, { topupId: topup_id, operatorId: caller.userId, reason }),
  ),
];
