import * as z from 'zod/mini';
import { type SignedIn, verifyOtp } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { hadAccount } from '#server/domains/accounts/privacy/erased-phones.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { tellNewDevice } from '#server/domains/accounts/notices.ts';
import { type Right, withCode } from './otp.ts';
import { openAccount, statusOf, userOf } from '#server/domains/accounts/people.ts';
import { startSession } from '#server/domains/accounts/sessions/sessions.ts';

export const verifyOtpHandler = (deps: AccountsDeps): ActHandler =>
  handle(verifyOtp, async (call, { challenge, code }) => {
    const signedIn = await verify(deps, { challengeId: challenge, code }, call);
    if (call.caller.kind === 'person') await deps.sessions.end(call.caller.sessionId);
    return signedIn;
  });

const Pending = z.object({ name: z.string(), passwordHash: z.string() });

type Visitor = Pick<Call, 'ip' | 'agent' | 'device'>;

/**
 * Signs in whom the code was for: the person whose registration waited for it, whose account is opened
 * now, or one whose browser was new. Every wrong code costs a try, also in parallel.
 *
 * @throws Refusal `otp_wrong` with the tries left; `otp_expired` after five minutes, five wrong
 *   codes, success, or when the number was registered meanwhile; `account_suspended`.
 */
export async function verify(
  deps: AccountsDeps,
  asked: { challengeId: string; code: string },
  visitor: Visitor,
): Promise<SignedIn> {
  const taking = { purposes: ['register', 'login'] } as const;
  const { signedIn, isNew } = await withCode(deps, asked, taking, async (tx, right) => {
    const isNew = right.purpose === 'register';
    const begin = isNew ? open : enter;
    return { signedIn: await begin(deps, tx, right, visitor), isNew };
  });
  if (!isNew) void tellNewDevice(deps, signedIn.user.phone, visitor.agent).catch(deps.report);
  return signedIn;
}

async function open(
  deps: AccountsDeps,
  tx: Tx,
  { phone, pending }: Right,
  visitor: Visitor,
): Promise<SignedIn> {
  const person = Pending.parse(pending);
  const opened = await openAccount(tx, { ...person, phone, role: 'customer' });
  if (!opened) throw new Refusal('otp_expired', {});
  await deps.onAccountOpened(tx, opened.accountId, !(await hadAccount(tx, deps, phone)));
  const token = await startSession(tx, { ...opened, ...visitor });
  return { token, user: await userOf(tx, deps, opened) };
}

async function enter(
  deps: AccountsDeps,
  tx: Tx,
  { whose }: Right,
  visitor: Visitor,
): Promise<SignedIn> {
  if (!whose) throw new Error('a code to sign in was nobody’s');
  const status = await statusOf(tx, whose.accountId);
  if (status !== 'active') throw new Refusal('account_suspended', {});
  const token = await startSession(tx, { ...whose, ...visitor });
  return { token, user: await userOf(tx, deps, whose) };
}
