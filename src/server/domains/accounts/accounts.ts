import type { KeptAct } from '#server/platform/act.ts';
import { challenging } from './captcha.ts';
import { changingPassword, changingPhone, confirmingPhone } from './change.ts';
import { closingActs } from './closing.ts';
import type { AccountsDeps } from './deps.ts';
import { changingForgotten, forgetting, verifyingForgot } from './forgot.ts';
import { loggingIn } from './login.ts';
import { registering } from './register.ts';
import { resending } from './resend-otp.ts';
import { proving } from './proof.ts';
import {
  checkingToken,
  configuring,
  listingSessions,
  loggingOut,
  revoking,
} from './session-acts.ts';
import { updating } from './update.ts';
import { verifying } from './verify-otp.ts';

export { aliveSessions } from './alive.ts';
export { type Captcha, openAltcha } from './captcha.ts';
export { openCaptcha } from './captcha-widget.ts';
export { eraseDue } from './erase.ts';
export { type Exports, openExports, verifyExport } from './exports.ts';
export { type FirstOperator, ensureOperator } from './first-operator.ts';
export { accountsHolding } from './holding.ts';
export { Settings } from './people.ts';
export { type Sessions, openSessions, standing } from './sessions.ts';
export { sweepAccounts } from './sweep.ts';
export type { AccountOpened, AccountsDeps } from './deps.ts';

/** The acts of this domain: who people are, and that they are. */
export const accountsActs = (deps: AccountsDeps): readonly KeptAct[] => [
  registering(deps),
  verifying(deps),
  resending(deps),
  loggingIn(deps),
  forgetting(deps),
  verifyingForgot(deps),
  changingForgotten(deps),
  proving(deps),
  updating(deps),
  changingPassword(deps),
  changingPhone(deps),
  confirmingPhone(deps),
  listingSessions(deps),
  revoking(deps),
  loggingOut(deps),
  checkingToken(deps),
  challenging(deps),
  configuring(deps),
  ...closingActs(deps),
];
