import { confirmTopup, operatorTopups, rejectTopup } from '#contract/operator.ts';
import {
  confirmTopupByHand,
  rejectTopupByHand,
  topupsForOperator,
} from '#server/domains/payments/payments.ts';
import { type KeptAct, on } from '#server/infra/acts/act.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

export type OperatorDeps = {
  /** Sees every account. */
  house: Sql;
  now: () => Date;
};

/** The acts of who runs the installation. The door lets nobody else in: they see all accounts. */
export const operatorActs = (deps: OperatorDeps): readonly KeptAct[] => [
  on(operatorTopups, (_, input) => topupsForOperator(deps, input)),
  on(confirmTopup, ({ caller }, { topup_id, reference, reason }) =>
    confirmTopupByHand(deps, { topupId: topup_id, operatorId: caller.userId, reference, reason }),
  ),
  on(rejectTopup, ({ caller }, { topup_id, reason }) =>
    rejectTopupByHand(deps, { topupId: topup_id, operatorId: caller.userId, reason }),
  ),
];
