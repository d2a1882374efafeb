import type { KeptAct } from '#server/infra/acts/act.ts';
import { challenging } from './signin/captcha.ts';
import { changingPassword, changingPhone, confirmingPhone } from './profile/change.ts';
import { closingActs } from './privacy/closing.ts';
import type { AccountsDeps } from './deps.ts';
import { changingForgotten, forgetting, verifyingForgot } from './signin/forgot.ts';
import { loggingIn } from './signin/login.ts';
import { registering } from './signin/register.ts';
import { resending } from './otp/resend-otp.ts';
import { proving } from './sessions/reauth.ts';
import {
  checkingToken,
  configuring,
  listingSessions,
  loggingOut,
  revoking,
} from './sessions/session-acts.ts';
import { updating } from './profile/update.ts';
import { verifying } from './otp/verify-otp.ts';

export { aliveSessions } from './alive.ts';
export { type Captcha, openAltcha } from './signin/captcha.ts';
export { openCaptcha } from './signin/captcha-widget.ts';
export { eraseDue } from './privacy/erase.ts';
export { type Exports, openExports, verifyExport } from './privacy/exports.ts';
export { type FirstOperator, ensureOperator } from './signin/first-operator.ts';
export { accountsHolding } from './account-data.ts';
export { Settings } from './people.ts';
export { type Sessions, openSessions, standing } from './sessions/sessions.ts';
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
