import { type User, type Role } from '#contract/accounts.ts';
import { publicId } from '#contract/ids.ts';
import { Refusal } from '#contract/refusals.ts';
import type { Sql, Tx } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';

export type AccountStatus = 'active' | 'suspended' | 'closed';

/** The id of the installation's own account; `undefined` before the first start has made it. */
export async function systemAccount(house: Sql | Tx): Promise<string | undefined> {
  const [row] = await house<{ account_id: string }[]>`
    select account_id from accounts where is_system`;
  return row?.account_id;
}

type UserRow = { name: string; phone: string; role: Role; timezone: string };

/**
 * The user as `user_check_token` answers.
 *
 * @throws Refusal `not_signed_in` when the user is gone.
 */
export async function userOf(sql: Sql | Tx, accountId: string, userId: string): Promise<User> {
  const [row] = await sql<UserRow[]>`
    select name, phone, role, timezone from users
    where (account_id, user_id) = (${accountId}, ${userId})`;
  if (!row) throw new Refusal('not_signed_in', {});
  return {
    id: publicId('user', userId),
    account_id: publicId('account', accountId),
    name: row.name,
    phone: row.phone,
    role: row.role,
    timezone: row.timezone,
  };
}

type NewPerson = {
  name: string;
  phone: string;
  passwordHash: string;
  role: Role;
  /** True for the installation's own account. */
  isSystem?: boolean;
};

/**
 * Opens an account with its first user.
 *
 * @returns `undefined`, and leaves rows that the caller must roll back, when the phone is taken.
 */
export async function openAccount(
  tx: Tx,
  { name, phone, passwordHash, role, isSystem = false }: NewPerson,
): Promise<{ accountId: string; userId: string } | undefined> {
  const accountId = newId();
  const userId = newId();
  await tx`
    insert into accounts (account_id, name, is_system) values (${accountId}, ${name}, ${isSystem})`;
  await tx`
    insert into users (account_id, user_id, name, phone, password_hash, role)
    values (${accountId}, ${userId}, ${name}, ${phone}, ${passwordHash}, ${role})`;
  const [owned] = await tx`
    insert into user_phones (phone, account_id, user_id) values (${phone}, ${accountId}, ${userId})
    on conflict (phone) do nothing returning phone`;
  return owned && { accountId, userId };
}

/** True when a phone belongs to someone already. */
export async function isPhoneTaken(sql: Sql | Tx, phone: string): Promise<boolean> {
  const [row] = await sql`select 1 from user_phones where phone = ${phone}`;
  return row !== undefined;
}
