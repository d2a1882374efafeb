import { uuidOf } from '#contract/base/ids.ts';
import type { User } from '#contract/accounts.ts';
import type { InputOf } from '#contract/base/act.ts';
import { updateUser } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { type UserRef, userOf } from '#server/domains/accounts/people.ts';

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
