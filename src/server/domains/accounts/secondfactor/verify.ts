import type { InputOf } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { verifySecondFactor } from '#contract/second-factor.ts';
import type { Call } from '#server/infra/acts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type SealedColumn, hmac, sameBytes, sha256 } from '#server/infra/security/secrets.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { notifyFactorGuessed, notifyRecoveryCodeUsed } from '#server/domains/accounts/notices.ts';
import { type UserRef, passwordOf } from '#server/domains/accounts/people.ts';
import {
  addressWaitSeconds,
  countFailure,
  countTry,
  resetTries,
} from '#server/domains/accounts/signin/captcha.ts';
import {
  type ChallengeScope,
  countWrong,
  endChallenge,
  lockChallenge,
  challengedUser,
} from './challenges.ts';
import { lockPerson, passkeysOf, recoveryCodesOf, useRecoveryCode, totpStepOf } from './factors.ts';
import { credentialIn, verifyPasskey } from './passkeys.ts';

type Input = Omit<InputOf<typeof verifySecondFactor>, 'challenge'> & { challengeId: string };
type Client = Pick<Call, 'ip' | 'device'>;

/**
 * Runs `work` in the transaction that accepts a second factor: a code of an authenticator app, a passkey's answer, or a
 * recovery code. Answers of one user are serialised, so that of two simultaneous uses of one code one succeeds. A wrong
 * one costs a try of the challenge, and is counted against the user and the address as a wrong password is, so that
 * more challenges give no more tries.
 *
 * @throws Refusal `second_factor_wrong` with the tries left; `second_factor_expired` after five minutes, five wrong
 * answers, success, or from another browser or session; `too_many_requests` with the seconds to wait.
 */
export async function withSecondFactor<T extends object>(
  deps: AccountsDeps,
  { challengeId, ...given }: Input,
  { ip, ...bound }: ChallengeScope & Pick<Call, 'ip'>,
  work: (tx: Tx, person: UserRef) => Promise<T>,
): Promise<T> {
  if (Object.values(given).filter((one) => one !== undefined).length !== 1) {
    throw new Refusal('input_invalid', { fields: { code: 'Berikan satu kode atau passkey.' } });
  }
  const { allAccountsSql } = deps;
  const person = await challengedUser(allAccountsSql, challengeId, bound);
  const subject = await countAnswer(deps, person, { ip, device: bound.device });
  const outcome = await allAccountsSql.begin(async (tx) => {
    await lockPerson(tx, person);
    const value = await lockChallenge(tx, deps.secrets, person, { ...bound, challengeId });
    const { phone } = await passwordOf(tx, person);
    const fits = await isRight(tx, deps, person, { ...given, value });
    if (!fits) return { left: await countWrong(tx, challengeId), phone };
    await endChallenge(tx, challengeId);
    const done = await work(tx, person);
    return { done, phone, codes: await recoveryCodesOf(tx, person) };
  });
  const { phone } = outcome;
  if ('left' in outcome) {
    await countFailure(allAccountsSql, ip);
    if (outcome.left === 0) void notifyFactorGuessed(deps, phone).catch(deps.report);
    throw new Refusal('second_factor_wrong', { left: outcome.left });
  }
  await resetTries(allAccountsSql, subject);
  if (given.recovery_code !== undefined) {
    void notifyRecoveryCodeUsed(deps, phone, outcome.codes?.left ?? 0).catch(deps.report);
  }
  return outcome.done;
}

/**
 * Counts an answer before it is checked: five in a quarter of an hour are free, then each is followed by a growing
 * wait. In a browser that the user has used they are counted apart from those of strangers.
 *
 * @returns the subject for `resetTries` after a correct answer.
 */
async function countAnswer(
  { allAccountsSql, secrets }: AccountsDeps,
  person: UserRef,
  { ip, device }: Client,
): Promise<string> {
  const known = await isKnownBrowser(allAccountsSql, person, device);
  const addressWait = known ? 0 : await addressWaitSeconds(allAccountsSql, ip);
  if (addressWait > 0) throw new Refusal('too_many_requests', { seconds: addressWait });
  const countedBy = known ? sha256(device) : '';
  const subject = hmac(secrets.key('pepper'), 'second factor', person.userId, countedBy)
    .toString('hex')
    .slice(0, 32);
  const wait = await countTry(allAccountsSql, subject);
  if (wait > 0) throw new Refusal('too_many_requests', { seconds: wait });
  return subject;
}

export async function isKnownBrowser(
  sql: Sql | Tx,
  { accountId, userId }: UserRef,
  device: string,
): Promise<boolean> {
  const [row] = await sql`
    select 1 from known_devices
    where (account_id, user_id, device_hash) = (${accountId}, ${userId}, ${sha256(device)})`;
  return row !== undefined;
}

type Answer = Omit<Input, 'challengeId'> & { value: Buffer };

async function isRight(
  tx: Tx,
  deps: Pick<AccountsDeps, 'secrets' | 'config'>,
  person: UserRef,
  { code, passkey, recovery_code: recoveryCode, value }: Answer,
): Promise<boolean> {
  if (code !== undefined) return useTotpCode(tx, deps, person, code);
  if (passkey !== undefined) return usePasskey(tx, deps, person, { challenge: value, passkey });
  return useRecoveryCode(tx, deps.secrets, person, recoveryCode ?? '');
}

/** The sealing context of an authenticator app's secret. */
export const totpContext = (factorId: string): string => `second_factors ${factorId}`;

export const sealedFactors: SealedColumn = {
  table: 'second_factors',
  column: 'secret',
  key: ['account_id', 'factor_id'],
  context: ({ factor_id = '' }) => totpContext(factor_id),
};

/** Uses up a code's step: this and earlier steps are rejected from now on. By the database's clock. */
async function useTotpCode(
  tx: Tx,
  { secrets }: Pick<AccountsDeps, 'secrets'>,
  { accountId, userId }: UserRef,
  code: string,
): Promise<boolean> {
  const [totp] = await tx<{ factorId: string; sealed: Buffer; now: number }[]>`
    select factor_id as "factorId", secret as sealed,
      extract(epoch from clock_timestamp())::float8 as now
    from second_factors where (account_id, user_id) = (${accountId}, ${userId}) and kind = 'totp'`;
  if (!totp) return false;
  const secret = secrets.open(totp.sealed, totpContext(totp.factorId));
  if (!secret) throw new Error('a secret of an authenticator app does not open');
  const step = totpStepOf(secret, code, totp.now);
  if (step === undefined) return false;
  const [used] = await tx`
    update second_factors set last_step = ${step}, used_at = clock_timestamp()
    where (account_id, factor_id) = (${accountId}, ${totp.factorId}) and last_step < ${step}
    returning 1`;
  return used !== undefined;
}

async function usePasskey(
  tx: Tx,
  { config }: Pick<AccountsDeps, 'config'>,
  person: UserRef,
  { challenge, passkey: given }: { challenge: Buffer; passkey: string },
): Promise<boolean> {
  const id = credentialIn(given);
  const passkeys = id ? await passkeysOf(tx, person) : [];
  const passkey = passkeys.find(({ credentialId }) => id && sameBytes(credentialId, id));
  if (!passkey) return false;
  const counter = await verifyPasskey(config, passkey, { challenge, given });
  if (counter === undefined) return false;
  await tx`
    update second_factors set counter = ${counter}, used_at = clock_timestamp()
    where (account_id, factor_id) = (${person.accountId}, ${passkey.factorId})`;
  return true;
}
