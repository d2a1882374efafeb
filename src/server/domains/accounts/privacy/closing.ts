import { askDeletion, deleteAccount, keepAccount } from '#contract/people.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import {
  notifyErasureScheduled,
  notifyErasureCancelled,
} from '#server/domains/accounts/notices.ts';
import { issueCode, withVerifiedCode } from '#server/domains/accounts/otp/otp.ts';
import { passwordOf, userOf } from '#server/domains/accounts/people.ts';
import { verifyPassword } from '#server/domains/accounts/sessions/reauth.ts';

/** How long an erasure can be called off; everything works until then (docs/threats.md#personal-data). */
const GRACE_DAYS = 7;

/** The acts that close an account. erase.ts does the erasure when the day has come. */
export const closingActs = (deps: AccountsDeps): readonly ActHandler[] => [
  askDeletionHandler(deps),
  deleteAccountHandler(deps),
  keepAccountHandler(deps),
];

const askDeletionHandler = (deps: AccountsDeps): ActHandler =>
  handle(askDeletion, async (call) => {
    const { accountId, userId } = call.caller;
    const { phone } = await passwordOf(deps.allAccountsSql, call.caller);
    const request = { purpose: 'delete', phone, user: { accountId, userId } } as const;
    const issued = await deps.allAccountsSql.begin((tx) => issueCode(tx, deps, request, call));
    await issued.send();
    return issued.answer;
  });

/** Sets the day of the erasure; a second request does not move it. The person is notified of it. */
const deleteAccountHandler = (deps: AccountsDeps): ActHandler =>
  handle(deleteAccount, async (call, { password, challenge, code }) => {
    const { caller } = call;
    const { phone } = await verifyPassword(deps, call, password);
    const { accountId } = caller;
    const codeInput = { challengeId: challenge, code };
    const scope = { purposes: ['delete'], user: caller } as const;
    const user = await withVerifiedCode(deps, codeInput, scope, async (tx) => {
      await tx`
        update accounts
        set erase_at = statement_timestamp() + make_interval(days => ${GRACE_DAYS})
        where account_id = ${accountId} and erase_at is null and not is_system`;
      return userOf(tx, deps, caller);
    });
    const { erased_at: at, timezone } = user;
    if (at !== null) void notifyErasureScheduled(deps, phone, { at, timezone }).catch(deps.report);
    return user;
  });

const keepAccountHandler = (deps: AccountsDeps): ActHandler =>
  handle(keepAccount, async ({ caller }) => {
    const { isCancelled, user } = await deps.allAccountsSql.begin(async (tx) => {
      const { count } = await tx`
        update accounts set erase_at = null
        where account_id = ${caller.accountId} and erase_at is not null and closed_at is null`;
      return { isCancelled: count > 0, user: await userOf(tx, deps, caller) };
    });
    if (isCancelled) void notifyErasureCancelled(deps, user.phone).catch(deps.report);
    return user;
  });
