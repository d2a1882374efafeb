import { askDeletion, deleteAccount, keepAccount } from '#contract/people.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { tellClosing, tellKept } from '#server/domains/accounts/notices.ts';
import { askCode, withCode } from '#server/domains/accounts/otp/otp.ts';
import { passwordOf, userOf } from '#server/domains/accounts/people.ts';
import { demandPassword } from '#server/domains/accounts/sessions/reauth.ts';

/** How long a deletion can be called off; everything works until then (docs/threats.md#personal-data). */
const GRACE_DAYS = 7;

/** The acts of an account's end. What happens when its time has come is in erase.ts. */
export const closingActs = (deps: AccountsDeps): readonly ActHandler[] => [
  askDeletionHandler(deps),
  deleteAccountHandler(deps),
  keepAccountHandler(deps),
];

const askDeletionHandler = (deps: AccountsDeps): ActHandler =>
  handle(askDeletion, async (call) => {
    const { accountId, userId } = call.caller;
    const { phone } = await passwordOf(deps.allAccountsSql, call.caller);
    const wish = { purpose: 'delete', phone, whose: { accountId, userId } } as const;
    const asked = await deps.allAccountsSql.begin((tx) => askCode(tx, deps, wish, call));
    await asked.send();
    return asked.answer;
  });

/** Sets the day, once: asked again, the day that stands stays. The person is told when it will be. */
const deleteAccountHandler = (deps: AccountsDeps): ActHandler =>
  handle(deleteAccount, async (call, { password, challenge, code }) => {
    const { caller } = call;
    const { phone } = await demandPassword(deps, call, password);
    const { accountId } = caller;
    const typed = { challengeId: challenge, code };
    const taking = { purposes: ['delete'], of: caller } as const;
    const user = await withCode(deps, typed, taking, async (tx) => {
      await tx`
        update accounts
        set erase_at = clock_timestamp() + make_interval(days => ${GRACE_DAYS})
        where account_id = ${accountId} and erase_at is null and not is_system`;
      return userOf(tx, deps, caller);
    });
    const { erased_at: at, timezone } = user;
    if (at !== null) void tellClosing(deps, phone, { at, timezone }).catch(deps.report);
    return user;
  });

const keepAccountHandler = (deps: AccountsDeps): ActHandler =>
  handle(keepAccount, async ({ caller }) => {
    const { kept, user } = await deps.allAccountsSql.begin(async (tx) => {
      const { count } = await tx`
        update accounts set erase_at = null
        where account_id = ${caller.accountId} and erase_at is not null and closed_at is null`;
      return { kept: count > 0, user: await userOf(tx, deps, caller) };
    });
    if (kept) void tellKept(deps, user.phone).catch(deps.report);
    return user;
  });
