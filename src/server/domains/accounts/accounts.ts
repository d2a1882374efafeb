import type { ActHandler } from '#server/infra/acts.ts';
import { captchaChallengeHandler } from './signin/captcha.ts';
import {
  changePasswordHandler,
  changePhoneHandler,
  confirmPhoneHandler,
  updateUserHandler,
} from './profile.ts';
import { closingActs } from './privacy.ts';
import type { AccountsDeps } from './deps.ts';
import {
  changeForgottenHandler,
  forgotPasswordHandler,
  verifyForgotHandler,
} from './signin/forgot.ts';
import { loginUserHandler } from './signin/login.ts';
import { registerUserHandler } from './signin/register.ts';
import { operatorsActs } from './operators.ts';
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
export { codeCounts, wrongCodes, wrongCodesToTell } from './otp/otp-sending.ts';
export { eraseDue, type Exports, openExports, verifyExport } from './privacy.ts';
export {
  adminPhones,
  everyOperator,
  isAdmin,
  operatorByPhone,
  operatorPhones,
  addOperator,
  resetOperatorPassword,
  vouchForOperator,
  type OperatorTies,
  isSecondFor,
  tiesOf,
} from './operators.ts';
export {
  type FirstOperator,
  ensureOperator,
  hasFirstOperatorSignedIn,
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
export { sealedChallenges } from './secondfactor/challenges.ts';
export { sealedFactors } from './secondfactor/verify.ts';
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
