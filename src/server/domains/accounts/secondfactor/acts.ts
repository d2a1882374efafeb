import type { ActHandler } from '#server/infra/acts/act.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { addPasskeyHandler, addTotpHandler, beginPasskeyHandler, beginTotpHandler } from './add.ts';
import {
  getSecondFactorsHandler,
  removeSecondFactorHandler,
  renewRecoveryCodesHandler,
} from './change.ts';
import {
  askSecondFactorHandler,
  confirmSecondFactorHandler,
  giveSecondFactorHandler,
} from './give.ts';

/** Giving a second factor, and one's own: set up, taken away, asked for once more. */
export const secondFactorActs = (deps: AccountsDeps): readonly ActHandler[] => [
  giveSecondFactorHandler(deps),
  getSecondFactorsHandler(deps),
  beginTotpHandler(deps),
  addTotpHandler(deps),
  beginPasskeyHandler(deps),
  addPasskeyHandler(deps),
  removeSecondFactorHandler(deps),
  renewRecoveryCodesHandler(deps),
  askSecondFactorHandler(deps),
  confirmSecondFactorHandler(deps),
];
