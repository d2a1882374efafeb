import type { OperatorRole } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { readableCode } from '#server/infra/security/readable-code.ts';
import { StartError } from '#server/infra/start-error.ts';
import { revokeCodes } from '#server/domains/accounts/otp/otp.ts';
import { addUser, isPhoneTaken, systemAccount } from '#server/domains/accounts/people.ts';
import { endOtherSessions } from '#server/domains/accounts/sessions/sessions.ts';
import { operatorByPhone } from './directory.ts';
import { recordTie } from './ties.ts';

type NewOperator = { name: string; phone: string; roles: readonly OperatorRole[] };

/** How long an invitation can be used, which somebody may have read on a screen or a slip of paper. */
const INVITATION_HOURS = 72;

/**
 * Makes an operator whose password works until the invitation ends, with a code to their phone. Who invites them
 * has no second operator in them.
 *
 * @returns their password, shown to who invites them and nowhere else, and until when it works.
 * @throws Refusal `phone_in_use`.
 */
export async function invite(
  allAccountsSql: Sql,
  operator: NewOperator,
  invitedBy: string,
): Promise<{ userId: string; password: string; validUntil: Date }> {
  const { invitedUntil: validUntil, ...made } = await insertOperator(allAccountsSql, operator, {
    hours: INVITATION_HOURS,
    invitedBy,
    ifTaken: new Refusal('phone_in_use', {}),
  });
  if (!validUntil) throw new Error('an invitation without an end');
  return { ...made, validUntil };
}

/**
 * Makes an operator from the terminal of the installation, whose password works once without a code.
 *
 * @returns how they sign in, to be shown this once.
 * @throws StartError before the first start, and when the number is somebody's.
 */
export async function addOperator(
  allAccountsSql: Sql,
  operator: NewOperator,
): Promise<{ phone: string; password: string }> {
  const { password } = await insertOperator(allAccountsSql, operator, {
    hours: null,
    invitedBy: null,
    ifTaken: new StartError('That number belongs to somebody; choose another one.'),
  });
  return { phone: operator.phone, password };
}

/**
 * Declares from the terminal of the installation that an operator is independent of their inviter.
 *
 * @throws StartError when no operator has this number.
 */
export async function vouchForOperator(allAccountsSql: Sql, phone: string): Promise<void> {
  const { userId: operatorId } = await operatorByPhone(allAccountsSql, phone);
  await recordTie(allAccountsSql, { operatorId, by: null, kind: 'vouched' });
}

/**
 * Gives an operator another password, for who cannot sign in any more: their sessions end, and open codes
 * with them. As the first time, the next sign-in asks for no code by message.
 *
 * @returns how they sign in, to be shown this once.
 * @throws StartError when no operator has this number.
 */
export async function resetOperatorPassword(
  allAccountsSql: Sql,
  phone: string,
): Promise<{ phone: string; password: string }> {
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  await allAccountsSql.begin(async (tx) => {
    const user = await operatorByPhone(tx, phone);
    await tx`
      update users set password_hash = ${passwordHash}, signed_in_at = null, invited_until = null
      where (account_id, user_id) = (${user.accountId}, ${user.userId})`;
    await revokeCodes(tx, user);
    await endOtherSessions(tx, user);
  });
  return { phone, password };
}

type How = {
  /** After so many the password ends, unless it was used; null: never. */
  hours: number | null;
  /** The operator who invites them; null: the terminal of the installation. */
  invitedBy: string | null;
  ifTaken: Error;
};

async function insertOperator(
  allAccountsSql: Sql,
  { name, phone, roles }: NewOperator,
  { hours, invitedBy, ifTaken }: How,
): Promise<{ userId: string; password: string; invitedUntil: Date | null }> {
  // Before the hash, which takes a processor.
  if (await isPhoneTaken(allAccountsSql, phone)) throw ifTaken;
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  return allAccountsSql.begin(async (tx) => {
    const accountId = await systemAccount(tx);
    if (accountId === undefined) {
      throw new StartError('The first operator comes with the first start; run npm start.');
    }
    const role = { role: 'operator', operatorRoles: roles } as const;
    const added = await addUser(tx, accountId, { name, phone, passwordHash, ...role });
    if (!added) throw ifTaken;
    const [row] = await tx<{ until: Date | null }[]>`
      update users set invited_until = statement_timestamp() + make_interval(hours => ${hours}::int)
      where (account_id, user_id) = (${accountId}, ${added.userId})
      returning invited_until as until`;
    const { userId: operatorId } = added;
    if (invitedBy !== null) await recordTie(tx, { operatorId, by: invitedBy, kind: 'invited' });
    return { userId: operatorId, password, invitedUntil: row?.until ?? null };
  });
}

/** SQL that is true of `u`, a user, unless it was invited and has not come in time. */
export const isNotExpired = (sql: Sql | Tx) => sql`
  (u.signed_in_at is not null or u.invited_until is null or u.invited_until > clock_timestamp())`;

/** 99 bits of chance. */
export const newPassword = (): string => readableCode({ groups: 4, length: 5 });
