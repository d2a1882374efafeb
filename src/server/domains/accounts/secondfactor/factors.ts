import { publicId } from '#contract/base/ids.ts';
import type { SecondFactor } from '#contract/secondfactor/secondfactor.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { UserRef } from '#server/domains/accounts/people.ts';
import { REAUTH_SECONDS, endOtherSessions } from '#server/domains/accounts/sessions/sessions.ts';
import { endChallengesOf } from './challenges.ts';
import type { StoredPasskey } from './passkeys.ts';
import { forgetRecoveryCodes } from './recovery-codes.ts';

export type FactorKind = SecondFactor['kind'];

/**
 * Locks a person: who begins a session, gives a second factor, or changes theirs, does so one by one. So no
 * session begins without the factor that is being set up.
 */
export async function lockPerson(tx: Tx, { accountId, userId }: UserRef): Promise<void> {
  await tx`
    select 1 from users where (account_id, user_id) = (${accountId}, ${userId}) for no key update`;
}

type Row = {
  factorId: string;
  kind: FactorKind;
  name: string;
  createdAt: Date;
  usedAt: Date | null;
};

/** A person's factors, the oldest first. */
export async function factorsOf(tx: Tx, { accountId, userId }: UserRef): Promise<SecondFactor[]> {
  const rows = await tx<Row[]>`
    select factor_id as "factorId", kind, name, created_at as "createdAt", used_at as "usedAt"
    from second_factors where (account_id, user_id) = (${accountId}, ${userId})
    order by created_at, factor_id`;
  return rows.map(({ factorId, kind, name, createdAt, usedAt }) => ({
    id: publicId('factor', factorId),
    kind,
    name,
    created_at: createdAt.toISOString(),
    used_at: usedAt?.toISOString() ?? null,
  }));
}

/** A person's passkeys, with what their answers are checked against. */
export const passkeysOf = (
  tx: Tx,
  { accountId, userId }: UserRef,
): Promise<(StoredPasskey & { factorId: string })[]> => tx<
  (StoredPasskey & { factorId: string })[]
>`
  select factor_id as "factorId", credential_id as "credentialId", public_key as "publicKey",
    counter::int8 as counter, transports
  from second_factors
  where (account_id, user_id) = (${accountId}, ${userId}) and kind = 'passkey'
  order by created_at, factor_id`;

/** Whether this person has a second factor. @param sql sees their account */
export async function hasSecondFactor(
  sql: Sql | Tx,
  { accountId, userId }: UserRef,
): Promise<boolean> {
  const [row] = await sql`
    select 1 from second_factors where (account_id, user_id) = (${accountId}, ${userId}) limit 1`;
  return row !== undefined;
}

/**
 * Which kinds of second factor people have; who has none is not among them.
 *
 * @param allAccountsSql sees all accounts.
 */
export async function secondFactorsOf(
  allAccountsSql: Sql | Tx,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly FactorKind[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await allAccountsSql<{ userId: string; kinds: FactorKind[] }[]>`
    select user_id as "userId", array_agg(distinct kind order by kind) as kinds
    from second_factors where user_id = any(${[...new Set(userIds)]}::uuid[]) group by user_id`;
  return new Map(rows.map(({ userId, kinds }) => [userId, kinds]));
}

/** What became of a person whose second factors were reset. */
export type ResetFactors = {
  /** Where they are reached: `notifySecondFactorsReset` tells them. */
  phone: string;
  /** What they had; empty when nothing was to be done but ending sessions. */
  kinds: readonly FactorKind[];
  /** The sessions that ended: `sessions.evict` takes them out of this process's cache. */
  sessionIds: readonly string[];
};

/**
 * Takes all second factors and recovery codes from somebody who lost theirs, and ends their sessions: they
 * sign in with the password and a code to their phone, and set up new ones where that is required.
 *
 * @param allAccountsSql sees all accounts.
 * @returns `undefined` when there is no such person.
 */
export async function resetSecondFactor(
  allAccountsSql: Sql,
  userId: string,
): Promise<ResetFactors | undefined> {
  return allAccountsSql.begin(async (tx) => {
    const [person] = await tx<(UserRef & { phone: string })[]>`
      select account_id as "accountId", user_id as "userId", phone from users
      where user_id = ${userId} for no key update`;
    if (!person) return undefined;
    const kinds = (await secondFactorsOf(tx, [userId])).get(userId) ?? [];
    await forgetFactors(tx, person);
    const sessionIds = await endOtherSessions(tx, person);
    return { phone: person.phone, kinds, sessionIds };
  });
}

/** All factors, codes and open challenges of a person, gone. */
export async function forgetFactors(tx: Tx, user: UserRef): Promise<void> {
  await tx`
    delete from second_factors
    where (account_id, user_id) = (${user.accountId}, ${user.userId})`;
  await forgetRecoveryCodes(tx, user);
  await endChallengesOf(tx, user);
}

/** The session has given a second factor now; without `given` it has given none. */
export async function markSession(tx: Tx, sessionId: string, given = true): Promise<void> {
  await tx`
    update sessions set second_factor_at = ${given ? tx`statement_timestamp()` : null}
    where session_id = ${sessionId}`;
}

/**
 * Nobody changes second factors by a password alone: who has one gives it first.
 *
 * @throws Refusal `second_factor_again` when this session's was given more than five minutes ago, or never.
 */
export async function requireRecentFactor(
  tx: Tx,
  caller: UserRef & { sessionId: string },
): Promise<void> {
  if (!(await hasSecondFactor(tx, caller))) return;
  const [recent] = await tx`
    select 1 from sessions where session_id = ${caller.sessionId}
      and second_factor_at > clock_timestamp() - make_interval(secs => ${REAUTH_SECONDS})`;
  if (!recent) throw new Refusal('second_factor_again', {});
}
