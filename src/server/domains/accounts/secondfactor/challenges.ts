import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import type { SealedColumn, Secrets } from '#server/infra/security/secrets.ts';
import { countWrongCode } from '#server/domains/accounts/otp.ts';
import type { UserRef } from '#server/domains/accounts/people.ts';
import { deviceHash } from '#server/domains/accounts/sessions/sessions.ts';

const ANSWER_SECONDS = 300;
const ADDING_SECONDS = 600;
const TRIES = 5;
/**
 * A user's open challenges per browser; a further one replaces the oldest. Those of other browsers do not count, so
 * that a stranger with the password cannot end the owner's.
 */
const OPEN_MAX = 10;

type Purpose = 'sign_in' | 'confirm' | 'add_totp' | 'add_passkey';

/** A challenge is bound to one browser, and within a session to that session. */
export type ChallengeScope = {
  purpose: Purpose;
  device: string;
  sessionId?: string | undefined;
};

const lifeOf = (purpose: Purpose): number =>
  purpose === 'sign_in' || purpose === 'confirm' ? ANSWER_SECONDS : ADDING_SECONDS;

const contextOf = (challengeId: string): string => `second_factor_challenges ${challengeId}`;

export const sealedChallenges: SealedColumn = {
  table: 'second_factor_challenges',
  column: 'value',
  key: ['challenge_id'],
  context: ({ challenge_id = '' }) => contextOf(challenge_id),
};

export type IssuedChallenge = { challengeId: string; expiresInSeconds: number };

/**
 * Writes a challenge for a user in one browser.
 *
 * @param value the secret or nonce to check the answer against; stored sealed.
 */
export async function issueChallenge(
  tx: Tx,
  secrets: Secrets,
  {
    accountId,
    userId,
    purpose,
    device,
    sessionId,
    value,
  }: UserRef & ChallengeScope & { value: Uint8Array },
): Promise<IssuedChallenge> {
  const challengeId = newId();
  const expiresInSeconds = lifeOf(purpose);
  await tx`
    delete from second_factor_challenges where challenge_id in (
      select challenge_id from second_factor_challenges
      where (account_id, user_id) = (${accountId}, ${userId})
        and device_hash is not distinct from ${deviceHash(device)}
      order by created_at desc, challenge_id desc offset ${OPEN_MAX - 1}
    )`;
  await tx`
    insert into second_factor_challenges (
      challenge_id, purpose, account_id, user_id, session_id, device_hash, value, tries_left, expires_at
    ) values (
      ${challengeId}, ${purpose}, ${accountId}, ${userId}, ${sessionId ?? null}, ${deviceHash(device)},
      ${secrets.seal(value, contextOf(challengeId))}, ${TRIES},
      clock_timestamp() + make_interval(secs => ${expiresInSeconds})
    )`;
  return { challengeId, expiresInSeconds };
}

const isOpen = (sql: Sql | Tx, { purpose, device, sessionId }: ChallengeScope) => sql`
  purpose = ${purpose} and device_hash is not distinct from ${deviceHash(device)}
  and session_id is not distinct from ${sessionId ?? null}::uuid
  and tries_left > 0 and expires_at > clock_timestamp()`;

/**
 * The user of an open challenge.
 *
 * @throws Refusal `second_factor_expired` if there is none for this browser (and session).
 */
export async function challengedUser(
  sql: Sql,
  challengeId: string,
  scope: ChallengeScope,
): Promise<UserRef> {
  const [row] = await sql<UserRef[]>`
    select account_id as "accountId", user_id as "userId" from second_factor_challenges
    where challenge_id = ${challengeId} and ${isOpen(sql, scope)}`;
  if (!row) throw new Refusal('second_factor_expired', {});
  return row;
}

/**
 * Locks a challenge, so that its answers are serialised: call `endChallenge` or `countWrong` next.
 *
 * @returns the secret or nonce to check the answer against.
 * @throws Refusal `second_factor_expired` after its time, five wrong answers, or a correct one.
 */
export async function lockChallenge(
  tx: Tx,
  secrets: Secrets,
  { userId }: UserRef,
  { challengeId, ...scope }: ChallengeScope & { challengeId: string },
): Promise<Buffer> {
  const [row] = await tx<{ value: Buffer }[]>`
    select value from second_factor_challenges
    where challenge_id = ${challengeId} and user_id = ${userId} and ${isOpen(tx, scope)}
    for update`;
  const value = row && secrets.open(row.value, contextOf(challengeId));
  if (!value) throw new Refusal('second_factor_expired', {});
  return value;
}

export async function endChallenge(tx: Tx, challengeId: string): Promise<void> {
  await tx`delete from second_factor_challenges where challenge_id = ${challengeId}`;
}

export async function endChallengesOf(tx: Tx, { accountId, userId }: UserRef): Promise<void> {
  await tx`
    delete from second_factor_challenges where (account_id, user_id) = (${accountId}, ${userId})`;
}

/** Counts a wrong answer. @returns the tries left. */
export async function countWrong(tx: Tx, challengeId: string): Promise<number> {
  const [row] = await tx<{ left: number }[]>`
    update second_factor_challenges set tries_left = tries_left - 1
    where challenge_id = ${challengeId} returning tries_left as left`;
  await countWrongCode(tx);
  return row?.left ?? 0;
}
