import { PASSWORD_SECONDS } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import type { SecondFactor } from '#contract/second-factor.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { UserRef } from '#server/domains/accounts/people.ts';
import { endOtherSessions } from '#server/domains/accounts/sessions/sessions.ts';
import { endChallengesOf, type ChallengeScope, issueChallenge } from './challenges.ts';
import { type StoredPasskey, passkeyRequest } from './passkeys.ts';
import { randomBytes } from 'node:crypto';
import type { SecondFactorChallenge, SecondFactorMethod } from '#contract/accounts.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import type { Person } from '#server/infra/acts.ts';
import type { Config } from '#server/infra/config.ts';
import { readableCode } from '#server/infra/security/readable-code.ts';
import { type Secrets, hmac } from '#server/infra/security/secrets.ts';
import { Secret, TOTP } from 'otpauth';

export type FactorKind = SecondFactor['kind'];

/**
 * Locks a user: starting a session, giving a second factor and changing factors are serialised, so that no session
 * begins without a factor that is being set up.
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

/** Whether this user has a second factor. @param sql sees their account. */
export async function hasSecondFactor(
  sql: Sql | Tx,
  { accountId, userId }: UserRef,
): Promise<boolean> {
  const [row] = await sql`
    select 1 from second_factors where (account_id, user_id) = (${accountId}, ${userId}) limit 1`;
  return row !== undefined;
}

/** The kinds of second factors by user; users without one are missing. @param allAccountsSql sees all accounts. */
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

export type ResetFactors = {
  phone: string;
  /** The removed kinds; empty if there were none and only sessions ended. */
  kinds: readonly FactorKind[];
  /** The ended sessions: `sessions.evict` removes them from this process's cache. */
  sessionIds: readonly string[];
};

/**
 * Removes all second factors and recovery codes of a user who lost theirs, and ends their sessions: they sign in with
 * the password and a code to their phone, and set up new ones if required.
 *
 * @param allAccountsSql sees all accounts.
 * @returns `undefined` if there is no such user.
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

export async function forgetFactors(tx: Tx, user: UserRef): Promise<void> {
  await tx`
    delete from second_factors
    where (account_id, user_id) = (${user.accountId}, ${user.userId})`;
  await forgetRecoveryCodes(tx, user);
  await endChallengesOf(tx, user);
}

/** Records that the session has given a second factor now; with `given` false, that it has given none. */
export async function markSession(tx: Tx, sessionId: string, given = true): Promise<void> {
  await tx`
    update sessions set second_factor_at = ${given ? tx`statement_timestamp()` : null}
    where session_id = ${sessionId}`;
}

/**
 * A password alone never suffices to change second factors.
 *
 * @throws Refusal `second_factor_again` if this session's factor was given more than five minutes ago, or never.
 */
export async function requireRecentFactor(
  tx: Tx,
  caller: UserRef & { sessionId: string },
): Promise<void> {
  if (!(await hasSecondFactor(tx, caller))) return;
  const [recent] = await tx`
    select 1 from sessions where session_id = ${caller.sessionId}
      and second_factor_at > clock_timestamp() - make_interval(secs => ${PASSWORD_SECONDS.to_take})`;
  if (!recent) throw new Refusal('second_factor_again', {});
}

export async function issueFactorChallenge(
  tx: Tx,
  { secrets, config }: Pick<AccountsDeps, 'secrets' | 'config'>,
  user: UserRef,
  scope: ChallengeScope,
): Promise<SecondFactorChallenge | undefined> {
  const kinds = new Set((await factorsOf(tx, user)).map(({ kind }) => kind));
  if (kinds.size === 0) return undefined;
  const codes = await recoveryCodesOf(tx, user);
  const methods: SecondFactorMethod[] = [...kinds].sort((a, b) => (a > b ? -1 : 1));
  if (codes && codes.left > 0) methods.push('recovery_code');
  const value = randomBytes(32);
  const { challengeId, expiresInSeconds } = await issueChallenge(tx, secrets, {
    accountId: user.accountId,
    userId: user.userId,
    ...scope,
    value,
  });
  const passkeys = kinds.has('passkey') ? await passkeysOf(tx, user) : [];
  return {
    challenge: publicId('challenge', challengeId),
    methods,
    passkey: passkeys.length > 0 ? await passkeyRequest(config, value, passkeys) : null,
    expires_in_seconds: expiresInSeconds,
  };
}

/**
 * True if a second factor is required and the session has given none: the user may set one up, and nothing else. Today
 * only operators are required to have one.
 */
export const needsSecondFactor = (
  { OPERATOR_SECOND_FACTOR }: Pick<Config, 'OPERATOR_SECOND_FACTOR'>,
  { role, secondFactor }: Pick<Person, 'role' | 'secondFactor'>,
): boolean => isFactorRequired({ OPERATOR_SECOND_FACTOR }, role) && !secondFactor;

export const isFactorRequired = (
  { OPERATOR_SECOND_FACTOR }: Pick<Config, 'OPERATOR_SECOND_FACTOR'>,
  role: Person['role'],
): boolean => role === 'operator' && OPERATOR_SECOND_FACTOR === 'required';

const COUNT = 10;

/** 49 bits of entropy. */
const newCode = (): string => readableCode({ groups: 2, length: 5 });

/** Useless without the pepper, and bound to its user. */
const codeHmac = (secrets: Secrets, { userId }: UserRef, code: string): Buffer =>
  hmac(secrets.key('pepper'), 'recovery code', userId, code);

/** Replaces all codes by ten new ones, which are never shown again. */
export async function makeRecoveryCodes(
  tx: Tx,
  secrets: Secrets,
  user: UserRef,
): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newCode);
  await forgetRecoveryCodes(tx, user);
  const hmacs = codes.map((code) => codeHmac(secrets, user, code.replace('-', '')));
  await tx`
    insert into recovery_codes (account_id, user_id, code_hmac)
    select ${user.accountId}, ${user.userId}, hmac from unnest(${hmacs}::bytea[]) as hmac`;
  return codes;
}

async function forgetRecoveryCodes(tx: Tx, { accountId, userId }: UserRef): Promise<void> {
  await tx`delete from recovery_codes where (account_id, user_id) = (${accountId}, ${userId})`;
}

/** Uses up a code; of two simultaneous uses one succeeds. @param code ten letters and digits, without the dash. */
export async function useRecoveryCode(
  tx: Tx,
  secrets: Secrets,
  user: UserRef,
  code: string,
): Promise<boolean> {
  const [used] = await tx`
    update recovery_codes set used_at = clock_timestamp()
    where (account_id, user_id) = (${user.accountId}, ${user.userId})
      and code_hmac = ${codeHmac(secrets, user, code)} and used_at is null
    returning 1`;
  return used !== undefined;
}

/** The number of unused codes, and their creation time; `undefined` if none were created. */
export async function recoveryCodesOf(
  tx: Tx,
  { accountId, userId }: UserRef,
): Promise<{ left: number; madeAt: Date } | undefined> {
  const [row] = await tx<{ left: number; madeAt: Date | null }[]>`
    select (count(*) filter (where used_at is null))::int as left, min(created_at) as "madeAt"
    from recovery_codes where (account_id, user_id) = (${accountId}, ${userId})`;
  return row?.madeAt ? { left: row.left, madeAt: row.madeAt } : undefined;
}

/** Supported by every authenticator app (RFC 6238): SHA-1, six digits, 30 s. */
const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
/** Tolerated deviation of a phone's clock, in steps before and after. */
const WINDOW_STEPS = 1;

export const newTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

const totpOf = (secret: Uint8Array, label = ''): TOTP =>
  new TOTP({
    issuer: 'Kabari',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: STEP_SECONDS,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  });

export function totpToShow(secret: Uint8Array, label: string): { secret: string; uri: string } {
  const totp = totpOf(secret, label);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The code that an app shows at a moment. @param atSeconds since 1970. */
export const totpCodeAt = (secret: Uint8Array, atSeconds: number): string =>
  totpOf(secret).generate({ timestamp: atSeconds * 1000 });

/**
 * The step of a code: the present one, the one before, or the one after; `undefined` if it fits none. Compares in
 * constant time.
 *
 * @param atSeconds the moment, in seconds since 1970.
 */
export function totpStepOf(
  secret: Uint8Array,
  code: string,
  atSeconds: number,
): number | undefined {
  const window = WINDOW_STEPS;
  const delta = totpOf(secret).validate({ token: code, timestamp: atSeconds * 1000, window });
  return delta === null ? undefined : Math.floor(atSeconds / STEP_SECONDS) + delta;
}
