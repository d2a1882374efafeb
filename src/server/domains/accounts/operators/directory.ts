import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { StartError } from '#server/infra/start-error.ts';
import type { UserRef } from '#server/domains/accounts/people.ts';

/** Everybody who is or was an operator: removed ones keep their name. */
export const everyOperator = (
  allAccountsSql: Sql,
): PromiseLike<readonly { userId: string; name: string; isRemoved: boolean }[]> =>
  allAccountsSql<{ userId: string; name: string; isRemoved: boolean }[]>`
    select u.user_id as "userId", u.name, u.removed_at is not null as "isRemoved"
    from users u join accounts a using (account_id) where a.is_system
    order by u.removed_at is not null, u.name, u.user_id`;

/** Whether somebody is an admin of the installation now. */
export async function isAdmin(allAccountsSql: Sql, userId: string): Promise<boolean> {
  const [found] = await allAccountsSql`
    select from users u join accounts a using (account_id)
    where a.is_system and u.user_id = ${userId} and 'admin' = any (u.operator_roles)`;
  return found !== undefined;
}

/** The numbers of those who run the installation: the operators with the role `admin`. */
export async function adminPhones(allAccountsSql: Sql): Promise<string[]> {
  const admins = await allAccountsSql<{ phone: string }[]>`
    select u.phone from users u join accounts a using (account_id)
    where a.is_system and 'admin' = any(u.operator_roles) order by u.created_at`;
  return admins.map(({ phone }) => phone);
}

/** The numbers of all operators, also of those who have not signed in yet. */
export async function operatorPhones(allAccountsSql: Sql): Promise<string[]> {
  const found = await allAccountsSql<{ phone: string }[]>`
    select u.phone from users u join accounts a using (account_id)
    where a.is_system and u.role = 'operator' and u.removed_at is null order by u.created_at`;
  return found.map(({ phone }) => phone);
}

/** The operator with a number. @throws StartError when no operator has it. */
export async function operatorByPhone(sql: Sql | Tx, phone: string): Promise<UserRef> {
  const [user] = await sql<UserRef[]>`
    select u.account_id as "accountId", u.user_id as "userId"
    from users u join accounts a using (account_id)
    where u.phone = ${phone} and a.is_system and u.role = 'operator' and u.removed_at is null`;
  if (!user) throw new StartError('No operator has that number.');
  return user;
}
