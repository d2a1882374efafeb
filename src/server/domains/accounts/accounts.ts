import type { ActHandler } from '#server/infra/acts/act.ts';
import { captchaChallengeHandler } from './signin/captcha.ts';
import {
  changePasswordHandler,
  changePhoneHandler,
  confirmPhoneHandler,
} from './profile/change.ts';
import { closingActs } from './privacy/closing.ts';
import type { AccountsDeps } from './deps.ts';
import {
  changeForgottenHandler,
  forgotPasswordHandler,
  verifyForgotHandler,
} from './signin/forgot.ts';
import { loginUserHandler } from './signin/login.ts';
import { registerUserHandler } from './signin/register.ts';
import { operatorsActs } from './operators/operators.ts';
import { resendOtpHandler } from './otp/resend-otp.ts';
import { reauthUserHandler } from './sessions/reauth.ts';
import {
  checkTokenHandler,
  appConfigHandler,
  listSessionsHandler,
  logoutUserHandler,
  revokeSessionsHandler,
} from './sessions/session-acts.ts';
import { secondFactorActs } from './secondfactor/acts.ts';
import { updateUserHandler } from './profile/update.ts';
import { verifyOtpHandler } from './otp/verify-otp.ts';

export { activeSessions } from './alive.ts';
export { type Captcha, openAltcha } from './signin/captcha.ts';
export { openCaptcha } from './signin/captcha-widget.ts';
export {
  type CustomerFacts,
  type CustomerRow,
  accountNames,
  answeringOperators,
  countCustomers,
  customerFacts,
  customerOf,
  type CustomerPerson,
  customersAfter,
  customersBeginning,
  findCustomers,
  isAccount,
  maskedPeer,
  maskedPhone,
  operatorNames,
} from './customers.ts';
export { codeCounts } from './otp/otp-sending.ts';
export { eraseDue } from './privacy/erase.ts';
export { type Exports, openExports, verifyExport } from './privacy/exports.ts';
export {
  adminPhones,
  everyOperator,
  isAdmin,
  operatorByPhone,
  operatorPhones,
} from './operators/directory.ts';
export { addOperator, resetOperatorPassword, vouchForOperator } from './operators/invite.ts';
export { type OperatorTies, isSecondFor, tiesOf } from './operators/ties.ts';
export {
  type FirstOperator,
  ensureOperator,
  hasOperatorSignedIn,
} from './signin/first-operator.ts';
export { accountsAccountData } from './account-data.ts';
export { namesOfPeople } from './names.ts';
export { type PersonsPhone, Settings, phonesOf, systemAccount, timezoneOf } from './people.ts';
export {
  type Sessions,
  endAllSessions,
  openSessions,
  isActiveSession,
} from './sessions/sessions.ts';
export { resetSecondFactor, secondFactorsOf } from './secondfactor/factors.ts';
export { needsSecondFactor } from './secondfactor/required.ts';
export { notifySecondFactorsReset } from './notices.ts';
export { endSessionsOfAccount, sessionsOfAccount } from './sessions/desk.ts';
export { notifySuspensions } from './suspension/notify.ts';
export { changeAccount, suspensionSteps } from './suspension/suspend.ts';
export { sweepAccounts } from './sweep.ts';
export type { AccountOpened, AccountsDeps } from './deps.ts';

/** The acts of this domain: registration, sign-in, sessions, profile, closing of accounts, operators. */
export const accountsActs = (deps: AccountsDeps): readonly ActHandler[] => [
  registerUserHandler(deps),
  verifyOtpHandler(deps),
  resendOtpHandler(deps),
  loginUserHandler(deps),
  forgotPasswordHandler(deps),
  verifyForgotHandler(deps),
  changeForgottenHandler(deps),
  reauthUserHandler(deps),
  updateUserHandler(deps),
  changePasswordHandler(deps),
  changePhoneHandler(deps),
  confirmPhoneHandler(deps),
  listSessionsHandler(deps),
  revokeSessionsHandler(deps),
  logoutUserHandler(deps),
  checkTokenHandler(deps),
  captchaChallengeHandler(deps),
  appConfigHandler(deps),
  ...secondFactorActs(deps),
  ...closingActs(deps),
  ...operatorsActs(deps),
];
