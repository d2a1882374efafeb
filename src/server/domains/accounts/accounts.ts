import type { KeptAct } from '#server/platform/act.ts';
import { challenging } from './captcha.ts';
import type { AccountsDeps } from './deps.ts';
import { loggingIn } from './login.ts';
import { registering } from './register.ts';
import { resending } from './resend-otp.ts';
import { checkingToken, configuring, loggingOut } from './session-acts.ts';
import { verifying } from './verify-otp.ts';

export { aliveSessions } from './alive.ts';
export { type Captcha, openAltcha } from './captcha.ts';
export { ensureOperator } from './first-operator.ts';
export { type Sessions, openSessions } from './sessions.ts';
export { sweepAccounts } from './sweep.ts';
export type { AccountOpened, AccountsDeps } from './deps.ts';

/** The acts of this domain: who people are, and that they are. */
export const accountsActs = (deps: AccountsDeps): readonly KeptAct[] => [
  registering(deps),
  verifying(deps),
  resending(deps),
  loggingIn(deps),
  loggingOut(deps),
  checkingToken(deps),
  challenging(deps),
  configuring(deps),
];
