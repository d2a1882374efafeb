import * as z from 'zod/mini';
import { type SignedIn, verifyOtp } from '#contract/accounts.ts';
import { Refusal } from '#contract/refusals.ts';
import { type Call, type KeptAct, on } from '#server/platform/act.ts';
import type { Tx } from '#server/platform/database.ts';
import type { AccountsDeps } from './deps.ts';
import { codeHmac, countEntered } from './otp.ts';
import { openAccount, userOf } from './people.ts';
import { startSession } from './sessions.ts';

export const verifying = (deps: AccountsDeps): KeptAct =>
  on(verifyOtp, async (call, { challenge, code }) => {
    const signedIn = await verify(deps, { challengeId: challenge, code }, call);
    if (call.caller.kind === 'person') await deps.sessions.end(call.caller.sessionId);
    return signedIn;
  });

const Pending = z.object({ name: z.string(), passwordHash: z.string() });

type Right = { phone: string; pending: z.output<typeof Pending> };
type Visitor = Pick<Call, 'ip' | 'agent'>;

/**
 * Opens the account that waited for this code, and signs its person in. A code works once: of two
 * right answers at the same moment one succeeds. Every wrong one costs a try, also in parallel.
 *
 * @throws Refusal `otp_wrong` with the tries left; `otp_expired` after five minutes, five wrong
 *   codes, success, or when the number was registered meanwhile.
 */
export async function verify(
  deps: AccountsDeps,
  { challengeId, code }: { challengeId: string; code: string },
  visitor: Visitor,
): Promise<SignedIn> {
  const hmac = codeHmac(deps, challengeId, code);
  const outcome = await deps.house.begin(async (tx) => {
    const tried = await tryCode(tx, challengeId, hmac);
    return 'left' in tried ? tried : open(deps, tx, tried, visitor);
  });
  if ('left' in outcome) throw new Refusal('otp_wrong', { left: outcome.left });
  return outcome;
}

/**
 * Takes the challenge away when the code is right; else takes a try. The row's lock orders guesses.
 */
async function tryCode(
  tx: Tx,
  challengeId: string,
  hmac: Buffer,
): Promise<Right | { left: number }> {
  const [open] = await tx`
    select 1 from otp_challenges
    where challenge_id = ${challengeId} and tries_left > 0 and expires_at > clock_timestamp()
    for update`;
  if (!open) throw new Refusal('otp_expired', {});
  const [right] = await tx<{ phone: string; pending: unknown }[]>`
    delete from otp_challenges where challenge_id = ${challengeId} and code_hmac = ${hmac}
    returning phone, pending`;
  if (right) return { phone: right.phone, pending: Pending.parse(right.pending) };
  const [wrong] = await tx<{ tries_left: number }[]>`
    update otp_challenges set tries_left = tries_left - 1 where challenge_id = ${challengeId}
    returning tries_left`;
  return { left: wrong?.tries_left ?? 0 };
}

async function open(
  deps: AccountsDeps,
  tx: Tx,
  { phone, pending }: Right,
  { ip, agent }: Visitor,
): Promise<SignedIn> {
  const opened = await openAccount(tx, { ...pending, phone, role: 'customer' });
  if (!opened) throw new Refusal('otp_expired', {});
  const { accountId, userId } = opened;
  await deps.onAccountOpened(tx, accountId);
  await countEntered(tx, deps, phone);
  const token = await startSession(tx, { accountId, userId, ip, agent });
  return { token, user: await userOf(tx, accountId, userId) };
}
