import type { User } from '#contract/accounts.ts';
import { changePassword, changePhone, confirmPhone } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts/act.ts';
import { isCommonPassword } from '#server/infra/security/common-passwords.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { beginCoolDown } from '#server/domains/accounts/cool-down.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { tellPasswordChanged, tellPhoneChanged } from '#server/domains/accounts/notices.ts';
import { askCode, forgetCodes, tryCode } from '#server/domains/accounts/otp/otp.ts';
import { isPhoneTaken, passwordOf, userOf } from '#server/domains/accounts/people.ts';
import { demandPassword } from '#server/domains/accounts/sessions/reauth.ts';
import { endOthers } from '#server/domains/accounts/sessions/sessions.ts';

/** Sets another password; the person's other sessions end, and the phone is told. */
export const changePasswordHandler = (deps: AccountsDeps): ActHandler =>
  handle(changePassword, async (call, { current, password }) => {
    const { caller } = call;
    const person = await demandPassword(deps, call, current);
    if (isCommonPassword(password, person)) throw new Refusal('password_common', {});
    const hash = await hashPassword(password);
    const ended = await deps.allAccountsSql.begin(async (tx) => {
      await tx`
        update users set password_hash = ${hash}
        where (account_id, user_id) = (${caller.accountId}, ${caller.userId})`;
      await forgetCodes(tx, caller);
      return endOthers(tx, caller, caller.sessionId);
    });
    await deps.sessions.forget(ended);
    void tellPasswordChanged(deps, person.phone).catch(deps.report);
    return { ended: ended.length };
  });

/** Codes for the old number and the new one. Nothing changes until both have come back. */
export const changePhoneHandler = (deps: AccountsDeps): ActHandler =>
  handle(changePhone, async (call, { phone }) => {
    const { caller } = call;
    const { phone: oldPhone } = await passwordOf(deps.allAccountsSql, caller);
    if (phone === oldPhone) throw new Refusal('phone_same', {});
    const whose = { accountId: caller.accountId, userId: caller.userId };
    const asked = await deps.allAccountsSql.begin(async (tx) => {
      const dud = await isPhoneTaken(tx, phone);
      const old = await askCode(tx, deps, { purpose: 'phone_old', phone: oldPhone, whose }, call);
      const wish = { purpose: 'phone_new', phone, whose, dud } as const;
      return { old, new: await askCode(tx, deps, wish, call) };
    });
    await asked.old.send();
    await asked.new.send();
    return { old: asked.old.answer, new: asked.new.answer };
  });

type Half = { challengeId: string; code: string };

export const confirmPhoneHandler = (deps: AccountsDeps): ActHandler =>
  handle(confirmPhone, async (call, input) => {
    const old = { challengeId: input.old_challenge, code: input.old_code };
    const fresh = { challengeId: input.new_challenge, code: input.new_code };
    return confirm(deps, call, { old, fresh });
  });

/**
 * Changes the number when both codes fit. A wrong one costs a try of its own; the right one beside it
 * stays good. The other sessions end, the old number is told, and the account cools down.
 *
 * @throws Refusal `otp_wrong` with the tries left of the wrong one; `otp_expired`, also when the number
 *   was taken meanwhile.
 */
async function confirm(
  deps: AccountsDeps,
  { caller }: Call<'anyone_signed_in'>,
  { old, fresh }: { old: Half; fresh: Half },
): Promise<User> {
  const { accountId, userId } = caller;
  const outcome = await deps.allAccountsSql.begin(async (tx) => {
    // One pair at a time: going back lets go of the rows before the lost try is written.
    await tx`select pg_advisory_xact_lock(hashtextextended('phone ' || ${userId}, 0))`;
    // A right code is taken away by trying it: back to here when its partner is wrong.
    await tx`savepoint before_codes`;
    const first = await tryCode(tx, deps, old, { purposes: ['phone_old'], of: caller });
    if ('left' in first) return first;
    const second = await tryCode(tx, deps, fresh, { purposes: ['phone_new'], of: caller });
    if ('left' in second) {
      await tx`rollback to savepoint before_codes`;
      await tx`
        update otp_challenges set tries_left = ${second.left}
        where challenge_id = ${fresh.challengeId}`;
      return second;
    }
    const [freed] = await tx<{ phone: string }[]>`
      delete from user_phones where (account_id, user_id) = (${accountId}, ${userId})
      returning phone`;
    const [owned] = await tx`
      insert into user_phones (phone, account_id, user_id)
      values (${second.phone}, ${accountId}, ${userId})
      on conflict (phone) do nothing returning phone`;
    if (!owned || freed?.phone !== first.phone) throw new Refusal('otp_expired', {});
    await tx`
      update users set phone = ${second.phone}
      where (account_id, user_id) = (${accountId}, ${userId})`;
    await forgetCodes(tx, caller);
    await beginCoolDown(tx, accountId, 'phone_changed');
    const ended = await endOthers(tx, caller, caller.sessionId);
    return { ended, oldPhone: first.phone, user: await userOf(tx, deps, caller) };
  });
  if ('left' in outcome) throw new Refusal('otp_wrong', { left: outcome.left });
  await deps.sessions.forget(outcome.ended);
  const end = outcome.user.phone.slice(-4);
  void tellPhoneChanged(deps, outcome.oldPhone, end).catch(deps.report);
  return outcome.user;
}
