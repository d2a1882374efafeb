import * as z from 'zod/mini';
import { type SecondFactorRequired, type SignedIn, verifyOtp } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { hadAccount } from '#server/domains/accounts/privacy.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { notifyNewDevice } from '#server/domains/accounts/notices.ts';
import { type VerifiedCode, withVerifiedCode } from './otp.ts';
import { openAccount, statusOf } from '#server/domains/accounts/people.ts';
import { signIn } from '#server/domains/accounts/signin/login.ts';

export const verifyOtpHandler = (deps: AccountsDeps): ActHandler =>
  handle(verifyOtp, async (call, { challenge, code }) => {
    const answer = await verify(deps, { challengeId: challenge, code }, call);
    if ('token' in answer && call.caller.kind === 'person') {
      await deps.sessions.end(call.caller.sessionId);
    }
    return answer;
  });

const Pending = z.object({ name: z.string(), passwordHash: z.string() });

type Client = Pick<Call, 'ip' | 'agent' | 'device'>;

/**
 * Signs in the user of the code: after a registration, whose account is opened now, or in a new browser. Every wrong
 * code costs a try, also in parallel. A second factor that was set up since the code was sent is required.
 *
 * @throws Refusal `otp_wrong` with the tries left; `otp_expired` after five minutes, five wrong codes, success, or if
 * the number was registered meanwhile; `account_suspended`.
 */
export async function verify(
  deps: AccountsDeps,
  input: { challengeId: string; code: string },
  client: Client,
): Promise<SignedIn | SecondFactorRequired> {
  const scope = { purposes: ['register', 'login'] } as const;
  const { answer, isNew } = await withVerifiedCode(
    deps,
    input,
    scope,
    async (tx, verified, newAccountId) => {
      const isNew = verified.purpose === 'register';
      const answer = isNew
        ? await signInNew(deps, tx, { ...verified, newAccountId }, client)
        : await signInKnown(deps, tx, verified, client);
      return { answer, isNew };
    },
  );
  if (!isNew && 'token' in answer) {
    void notifyNewDevice(deps, answer.user.phone, client.agent).catch(deps.report);
  }
  return answer;
}

async function signInNew(
  deps: AccountsDeps,
  tx: Tx,
  { phone, pending, newAccountId: accountId }: VerifiedCode & { newAccountId: string },
  client: Client,
): Promise<SignedIn | SecondFactorRequired> {
  const person = Pending.parse(pending);
  const opened = await openAccount(tx, { ...person, accountId, phone, role: 'customer' });
  if (!opened) throw new Refusal('otp_expired', {});
  await deps.onAccountOpened(tx, opened.accountId, !(await hadAccount(tx, deps, phone)));
  return signIn(tx, deps, opened, client);
}

async function signInKnown(
  deps: AccountsDeps,
  tx: Tx,
  { user }: VerifiedCode,
  client: Client,
): Promise<SignedIn | SecondFactorRequired> {
  if (!user) throw new Error('a sign-in code has no user');
  const status = await statusOf(tx, user.accountId);
  if (status === 'closed') throw new Refusal('account_suspended', {});
  return signIn(tx, deps, user, client);
}
