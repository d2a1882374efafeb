import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { StartError } from '#server/infra/start-error.ts';
import type { AccountOpened } from '#server/domains/accounts/deps.ts';
import { newPassword } from '#server/domains/accounts/operators/invite.ts';
import { revokeCodes } from '#server/domains/accounts/otp/otp.ts';
import { type UserRef, openAccount, systemAccount } from '#server/domains/accounts/people.ts';
import { endOtherSessions } from '#server/domains/accounts/sessions/sessions.ts';

/** How the first operator signs in. */
export type FirstOperator = { phone: string; password: string };

/**
 * Makes the installation's own account and its operator, once; of several nodes starting at the
 * same time one does it.
 *
 * @param opened runs in the same transaction, for what every account needs.
 * @param deliverPassword runs last before COMMIT: when it fails, no operator is created.
 * @returns how the operator signs in, to be shown this once; `undefined` when they exist already.
 * @throws StartError when OPERATOR_PHONE belongs to a customer.
 */
export async function ensureOperator(
  allAccountsSql: Sql,
  { OPERATOR_PHONE: phone }: Pick<Config, 'OPERATOR_PHONE'>,
  onOpened: AccountOpened = async () => undefined,
  deliverPassword: (operator: FirstOperator) => Promise<void> = async () => undefined,
): Promise<FirstOperator | undefined> {
  if (await systemAccount(allAccountsSql)) return undefined;
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  return allAccountsSql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('first operator', 0))`;
    if (await systemAccount(tx)) return undefined;
    const operator = await openAccount(tx, {
      name: 'Kabari',
      phone,
      passwordHash,
      role: 'operator',
      operatorRoles: ['admin'],
      isSystem: true,
    });
    if (!operator)
      throw new StartError('OPERATOR_PHONE belongs to a customer; choose another number.');
    await onOpened(tx, operator.accountId, true);
    await deliverPassword({ phone, password });
    return { phone, password };
  });
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
): Promise<FirstOperator> {
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  await allAccountsSql.begin(async (tx) => {
    const user = await operatorOf(tx, phone);
    await tx`
      update users set password_hash = ${passwordHash}, signed_in_at = null
      where (account_id, user_id) = (${user.accountId}, ${user.userId})`;
    await revokeCodes(tx, user);
    await endOtherSessions(tx, user);
  });
  return { phone, password };
}

/** The operator with a number. @throws StartError when no operator has it. */
export async function operatorOf(sql: Sql | Tx, phone: string): Promise<UserRef> {
  const [user] = await sql<UserRef[]>`
    select u.account_id as "accountId", u.user_id as "userId"
    from users u join accounts a using (account_id)
    where u.phone = ${phone} and a.is_system and u.role = 'operator' and u.removed_at is null`;
  if (!user) throw new StartError('No operator has that number.');
  return user;
}

/** The installation's operators, the first one first. */
export async function listOperators(
  allAccountsSql: Sql,
): Promise<readonly { userId: string; name: string }[]> {
  return allAccountsSql<{ userId: string; name: string }[]>`
    select u.user_id as "userId", u.name from users u join accounts a using (account_id)
    where a.is_system and u.role = 'operator' and u.removed_at is null order by u.created_at`;
}

/** The numbers of those who run the installation: the operators with the role `admin`. */
export async function adminPhones(allAccountsSql: Sql): Promise<string[]> {
  const admins = await allAccountsSql<{ phone: string }[]>`
    select u.phone from users u join accounts a using (account_id)
    where a.is_system and 'admin' = any(u.operator_roles) order by u.created_at`;
  return admins.map(({ phone }) => phone);
}

/** True once the installation's operator has signed in. */
export async function hasOperatorSignedIn(allAccountsSql: Sql): Promise<boolean> {
  const [used] = await allAccountsSql`
    select from users u join accounts a using (account_id)
    where a.is_system and u.role = 'operator' and u.signed_in_at is not null`;
  return used !== undefined;
}
