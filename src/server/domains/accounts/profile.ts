import type { User } from '#contract/accounts.ts';
import { changePassword, changePhone, confirmPhone, updateUser } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts.ts';
import { isCommonPassword } from '#server/infra/security/common-passwords.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { beginCoolDown } from '#server/domains/accounts/cool-down.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { notifyPasswordChanged, notifyPhoneChanged } from '#server/domains/accounts/notices.ts';
import {
  type CodeInput,
  issueCode,
  revokeCodes,
  verifyCode,
} from '#server/domains/accounts/otp/otp.ts';
import { countWrongCode } from '#server/domains/accounts/otp/otp-sending.ts';
import { isPhoneTaken, passwordOf, userOf, type UserRef } from '#server/domains/accounts/people.ts';
import { verifyPassword } from '#server/domains/accounts/sessions/reauth.ts';
import { endOtherSessions, rotateToken } from '#server/domains/accounts/sessions/sessions.ts';
import { uuidOf } from '#contract/base/ids.ts';
import type { InputOf } from '#contract/base/act.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

/** Sets another password; the person's other sessions and copies of this one's token end, and the phone is notified. */
export const changePasswordHandler = (deps: AccountsDeps): ActHandler =>
  handle(changePassword, async (call, { current, password }) => {
    const { caller } = call;
    const person = await verifyPassword(deps, call, current);
    if (isCommonPassword(password, person)) throw new Refusal('password_common', {});
    const hash = await hashPassword(password);
    const { ended, token } = await deps.allAccountsSql.begin(async (tx) => {
      await tx`
        update users set password_hash = ${hash}
        where (account_id, user_id) = (${caller.accountId}, ${caller.userId})`;
      await revokeCodes(tx, caller);
      return {
        ended: await endOtherSessions(tx, caller, caller.sessionId),
        token: await rotateToken(tx, caller.sessionId),
      };
    });
    await deps.sessions.evict(ended);
    void notifyPasswordChanged(deps, person.phone).catch(deps.report);
    return { ended: ended.length, token };
  });

/** Codes for the old number and the new one. Nothing changes until both have come back. */
export const changePhoneHandler = (deps: AccountsDeps): ActHandler =>
  handle(changePhone, async (call, { phone }) => {
    const { caller } = call;
    const { phone: oldPhone } = await passwordOf(deps.allAccountsSql, caller);
    if (phone === oldPhone) throw new Refusal('phone_same', {});
    const user = { accountId: caller.accountId, userId: caller.userId };
    const issued = await deps.allAccountsSql.begin(async (tx) => {
      const isDecoy = await isPhoneTaken(tx, phone);
      const old = await issueCode(tx, deps, { purpose: 'phone_old', phone: oldPhone, user }, call);
      const request = { purpose: 'phone_new', phone, user, isDecoy } as const;
      return { old, new: await issueCode(tx, deps, request, call) };
    });
    await issued.old.send();
    await issued.new.send();
    return { old: issued.old.answer, new: issued.new.answer };
  });

export const confirmPhoneHandler = (deps: AccountsDeps): ActHandler =>
  handle(confirmPhone, async (call, input) => {
    const oldCode = { challengeId: input.old_challenge, code: input.old_code };
    const newCode = { challengeId: input.new_challenge, code: input.new_code };
    return confirm(deps, call, { oldCode, newCode });
  });

/**
 * Changes the number when both codes fit. A wrong one costs a try of its own; the right one beside it
 * stays good. The other sessions end, the old number is notified, and the account cools down.
 *
 * @throws Refusal `otp_wrong` with the tries left of the wrong one; `otp_expired`, also when the number
 *   was taken meanwhile.
 */
async function confirm(
  deps: AccountsDeps,
  { caller }: Call<'anyone_signed_in'>,
  { oldCode, newCode }: { oldCode: CodeInput; newCode: CodeInput },
): Promise<User> {
  const { accountId, userId } = caller;
  const outcome = await deps.allAccountsSql.begin(async (tx) => {
    // One pair at a time: the rollback releases the row locks before the lost try is written.
    await tx`select pg_advisory_xact_lock(hashtextextended('phone ' || ${userId}, 0))`;
    // Verifying a right code deletes it: roll back to here when the other one is wrong.
    await tx`savepoint before_codes`;
    const first = await verifyCode(tx, deps, oldCode, { purposes: ['phone_old'], user: caller });
    if ('left' in first) return first;
    const second = await verifyCode(tx, deps, newCode, { purposes: ['phone_new'], user: caller });
    if ('left' in second) {
      await tx`rollback to savepoint before_codes`;
      await tx`
        update otp_challenges set tries_left = ${second.left}
        where challenge_id = ${newCode.challengeId}`;
      await countWrongCode(tx);
      return second;
    }
    const [freed] = await tx<{ phone: string }[]>`
      delete from user_phones where (account_id, user_id) = (${accountId}, ${userId})
      returning phone`;
    const [claimed] = await tx`
      insert into user_phones (phone, account_id, user_id)
      values (${second.phone}, ${accountId}, ${userId})
      on conflict (phone) do nothing returning phone`;
    if (!claimed || freed?.phone !== first.phone) throw new Refusal('otp_expired', {});
    await tx`
      update users set phone = ${second.phone}
      where (account_id, user_id) = (${accountId}, ${userId})`;
    await revokeCodes(tx, caller);
    await beginCoolDown(tx, accountId, 'phone_changed');
    const ended = await endOtherSessions(tx, caller, caller.sessionId);
    return { ended, oldPhone: first.phone, user: await userOf(tx, deps, caller) };
  });
  if ('left' in outcome) throw new Refusal('otp_wrong', { left: outcome.left });
  await deps.sessions.evict(outcome.ended);
  const end = outcome.user.phone.slice(-4);
  void notifyPhoneChanged(deps, outcome.oldPhone, end).catch(deps.report);
  return outcome.user;
}

/** Changes what was sent about the caller, and leaves the rest. */
export const updateUserHandler = (deps: AccountsDeps): ActHandler =>
  handle(updateUser, async ({ caller }, input) => {
    const { user, erase } = await asAccount(deps.sql, caller.accountId, (tx) =>
      update(deps, tx, caller, input),
    );
    await erase().catch(deps.report);
    return user;
  });

type Updated = { user: User; erase: () => Promise<void> };

/** @returns deletes the earlier picture, when it was replaced or removed. */
async function update(
  deps: AccountsDeps,
  tx: Tx,
  user: UserRef,
  { name, email, avatar, timezone, ...settings }: InputOf<typeof updateUser>,
): Promise<Updated> {
  const { accountId, userId } = user;
  const changes = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  );
  await tx`
    update users set
      name = coalesce(${name ?? null}, name),
      timezone = coalesce(${timezone ?? null}, timezone),
      email = ${email === undefined ? tx`email` : email === '' ? null : email},
      settings = settings || ${json(changes)}
    where (account_id, user_id) = (${accountId}, ${userId})`;
  // One account has one user today, and its name is theirs.
  if (name !== undefined) {
    await tx`update accounts set name = ${name} where account_id = ${accountId}`;
  }
  const erase = avatar === undefined ? nothing : await changePicture(deps, tx, user, avatar);
  return { user: await userOf(tx, deps, user), erase };
}

const nothing = async (): Promise<void> => undefined;

/** @param avatar a finished upload; '' removes the picture. The upload that it came from changes nothing. */
async function changePicture(
  { claimUpload, claimedFile, releaseFile }: AccountsDeps,
  tx: Tx,
  { accountId, userId }: UserRef,
  avatar: string,
): Promise<Updated['erase']> {
  const uploadId = avatar === '' ? undefined : uuidOf('upload', avatar);
  if (avatar !== '' && uploadId === undefined) throw new Refusal('upload_gone', {});
  const [before] = await tx<{ file: string | null }[]>`
    select avatar_file as file from users
    where (account_id, user_id) = (${accountId}, ${userId}) for update`;
  const old = before?.file ?? null;
  const source = uploadId && ({ accountId, userId, uploadId, purpose: 'avatar' } as const);
  if (source && old !== null && (await claimedFile(tx, source)) === old) return nothing;
  const file = source ? await claimUpload(tx, source) : null;
  await tx`
    update users set avatar_file = ${file}
    where (account_id, user_id) = (${accountId}, ${userId})`;
  return old === null ? nothing : releaseFile(tx, { accountId, fileId: old });
}
