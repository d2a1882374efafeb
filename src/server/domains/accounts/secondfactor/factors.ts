import { publicId } from '#contract/base/ids.ts';
import type { SecondFactor } from '#contract/second-factor.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { UserRef } from '#server/domains/accounts/people.ts';
import { REAUTH_SECONDS, endOtherSessions } from '#server/domains/accounts/sessions/sessions.ts';
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

type Deps = Pick<AccountsDeps, 'secrets' | 'config'>;

/** Asks a person for their second factor; `undefined` when they have none. */
export async function askForFactor(
  tx: Tx,
  { secrets, config }: Deps,
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
 * True for whoever must give a second factor, and whose session did not: they may set one up, and nothing
 * else. Today that is asked of operators only.
 */
export const needsSecondFactor = (
  { OPERATOR_SECOND_FACTOR }: Pick<Config, 'OPERATOR_SECOND_FACTOR'>,
  { role, secondFactor }: Pick<Person, 'role' | 'secondFactor'>,
): boolean => isFactorRequired({ OPERATOR_SECOND_FACTOR }, role) && !secondFactor;

/** Whether this installation asks people of a role for a second factor. */
export const isFactorRequired = (
  { OPERATOR_SECOND_FACTOR }: Pick<Config, 'OPERATOR_SECOND_FACTOR'>,
  role: Person['role'],
): boolean => role === 'operator' && OPERATOR_SECOND_FACTOR === 'required';

const COUNT = 10;

/** 49 bits of chance. */
const newCode = (): string => readableCode({ groups: 2, length: 5 });

/** Useless without the pepper, and bound to its person. */
const codeHmac = (secrets: Secrets, { userId }: UserRef, code: string): Buffer =>
  hmac(secrets.key('pepper'), 'recovery code', userId, code);

/** Ten new codes instead of those of before; what is returned is never shown again. */
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

/**
 * Uses up a code; of two uses at the same moment one succeeds.
 *
 * @param code ten letters and digits, without the dash.
 */
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

/** How many codes are left, and since when there are these; `undefined` when there never were any. */
export async function recoveryCodesOf(
  tx: Tx,
  { accountId, userId }: UserRef,
): Promise<{ left: number; madeAt: Date } | undefined> {
  const [row] = await tx<{ left: number; madeAt: Date | null }[]>`
    select (count(*) filter (where used_at is null))::int as left, min(created_at) as "madeAt"
    from recovery_codes where (account_id, user_id) = (${accountId}, ${userId})`;
  return row?.madeAt ? { left: row.left, madeAt: row.madeAt } : undefined;
}

/** What every authenticator app understands (RFC 6238): SHA-1, six digits, 30 s. */
const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
/** A phone's clock may be off by so many steps, before and after. */
const WINDOW_STEPS = 1;

/** A new secret of an authenticator app. */
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

/** A secret as people give it to their app: to type, and as the text of a QR. */
export function totpToShow(secret: Uint8Array, label: string): { secret: string; uri: string } {
  const totp = totpOf(secret, label);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The code that an app shows at a moment. @param atSeconds since 1970 */
export const totpCodeAt = (secret: Uint8Array, atSeconds: number): string =>
  totpOf(secret).generate({ timestamp: atSeconds * 1000 });

/**
 * Which step a code belongs to: the present one, the one before, or the one after; `undefined` when it is
 * no code of these. Compared without telling by its time how much of it fits.
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
