import * as z from 'zod/mini';
import { type SignedIn, verifyOtp } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { hadAccount } from '#server/domains/accounts/privacy/erased-phones.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { notifyNewDevice } from '#server/domains/accounts/notices.ts';
import { type VerifiedCode, withVerifiedCode } from './otp.ts';
import { openAccount, statusOf, userOf } from '#server/domains/accounts/people.ts';
import { startSession } from '#server/domains/accounts/sessions/sessions.ts';

export const verifyOtpHandler = (deps: AccountsDeps): ActHandler =>
  handle(verifyOtp, async (call, { challenge, code }) => {
    const signedIn = await verify(deps, { challengeId: challenge, code }, call);
    if (call.caller.kind === 'person') await deps.sessions.end(call.caller.sessionId);
    return signedIn;
  });

const Pending = z.object({ name: z.string(), passwordHash: z.string() });

type Client = Pick<Call, 'ip' | 'agent' | 'device'>;

/**
 * Signs in the person that the code was for: after a registration, whose account is opened now, or in
 * a new browser. Every wrong code costs a try, also in parallel.
 *
 * @throws Refusal `otp_wrong` with the tries left; `otp_expired` after five minutes, five wrong
 *   codes, success, or when the number was registered meanwhile; `account_suspended`.
 */
export async function verify(
  deps: AccountsDeps,
  input: { challengeId: string; code: string },
  client: Client,
): Promise<SignedIn> {
  const scope = { purposes: ['register', 'login'] } as const;
  const { signedIn, isNew } = await withVerifiedCode(deps, input, scope, async (tx, verified) => {
    const isNew = verified.purpose === 'register';
    const signIn = isNew ? signInNew : signInKnown;
    return { signedIn: await signIn(deps, tx, verified, client), isNew };
  });
  if (!isNew) void notifyNewDevice(deps, signedIn.user.phone, client.agent).catch(deps.report);
  return signedIn;
}

async function signInNew(
  deps: AccountsDeps,
  tx: Tx,
  { phone, pending }: VerifiedCode,
  client: Client,
): Promise<SignedIn> {
  const person = Pending.parse(pending);
  const opened = await openAccount(tx, { ...person, phone, role: 'customer' });
  if (!opened) throw new Refusal('otp_expired', {});
  await deps.onAccountOpened(tx, opened.accountId, !(await hadAccount(tx, deps, phone)));
  const token = await startSession(tx, { ...opened, ...client });
  return { token, user: await userOf(tx, deps, opened) };
}

async function signInKnown(
  deps: AccountsDeps,
  tx: Tx,
  { user }: VerifiedCode,
  client: Client,
): Promise<SignedIn> {
  if (!user) throw new Error('a sign-in code has no user');
  const status = await statusOf(tx, user.accountId);
  if (status !== 'active') throw new Refusal('account_suspended', {});
  const token = await startSession(tx, { ...user, ...client });
  return { token, user: await userOf(tx, deps, user) };
}
