import { WIB } from '#contract/base/time.ts';
import * as z from 'zod/mini';
import type { Role, User } from '#contract/accounts.ts';
import type { OperatorRole } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { SoundName } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { suspensionOf } from './suspension.ts';

export type AccountStatus = 'active' | 'suspended' | 'closed';
export type UserRef = { accountId: string; userId: string };

/** The installation's own account; undefined before the first start has created it. */
export async function systemAccount(allAccountsSql: Sql | Tx): Promise<string | undefined> {
  const [row] = await allAccountsSql<{ account_id: string }[]>`
    select account_id from accounts where is_system`;
  return row?.account_id;
}

export const Settings = z.object({
  theme: z._default(z.enum(['system', 'light', 'dark']), 'system'),
  sound_on: z._default(z.boolean(), true),
  sound: z._default(SoundName(), 'pesan'),
  push_on: z._default(z.boolean(), true),
  push_text: z._default(z.boolean(), false),
  keys_on: z._default(z.boolean(), true),
});
export type Settings = z.output<typeof Settings>;

type UserRow = {
  name: string;
  phone: string;
  role: Role;
  operator_roles: OperatorRole[];
  timezone: string;
  email: string | null;
  avatar: string | null;
  settings: unknown;
  eraseAt: Date | null;
  status: AccountStatus;
};

export type UserDeps = {
  fileLink: (accountId: string, fileId: string) => string;
  broadcastsFor?: (sql: Sql | Tx, user: UserRef) => Promise<string | undefined>;
};

/** For accounts suspended before reasons were stored. */
const NO_REASON = { reason: 'Hubungi layanan pelanggan.', at: new Date(0).toISOString() };

/** @throws Refusal `not_signed_in` if the user is deleted. */
export async function userOf(
  sql: Sql | Tx,
  { fileLink, broadcastsFor }: UserDeps,
  { accountId, userId }: UserRef,
): Promise<User> {
  const [row] = await sql<UserRow[]>`
    select u.name, u.phone, u.role, u.operator_roles, u.timezone, u.email, u.avatar_file as avatar, u.settings,
      a.erase_at as "eraseAt", a.status
    from users u join accounts a on a.account_id = u.account_id
    where (u.account_id, u.user_id) = (${accountId}, ${userId})`;
  if (!row) throw new Refusal('not_signed_in', {});
  const { avatar, settings, eraseAt, status, ...facts } = row;
  const isCustomer = facts.role === 'customer';
  const broadcasts = isCustomer ? await broadcastsFor?.(sql, { accountId, userId }) : undefined;
  const suspension = status === 'suspended' ? await suspensionOf(sql, accountId) : undefined;
  return {
    id: publicId('user', userId),
    account_id: publicId('account', accountId),
    ...facts,
    ...Settings.parse(settings),
    avatar: avatar === null ? null : fileLink(accountId, avatar),
    erased_at: eraseAt?.toISOString() ?? null,
    ...(broadcasts !== undefined && { broadcasts }),
    ...(status === 'suspended' && { suspension: suspension ?? NO_REASON }),
  };
}

export async function timezoneOf(sql: Sql | Tx, { accountId, userId }: UserRef): Promise<string> {
  const [row] = await sql<{ timezone: string }[]>`
    select timezone from users where (account_id, user_id) = (${accountId}, ${userId})`;
  return row?.timezone ?? WIB;
}

export async function statusOf(sql: Sql | Tx, accountId: string): Promise<AccountStatus> {
  const [row] = await sql<{ status: AccountStatus }[]>`
    select status from accounts where account_id = ${accountId}`;
  return row?.status ?? 'closed';
}

type NewUser = {
  name: string;
  phone: string;
  passwordHash: string;
  role: Role;
  operatorRoles?: readonly OperatorRole[];
};
type NewAccount = NewUser & {
  accountId?: string;
  isSystem?: boolean;
};

/** Opens an account with its first user. @returns `undefined` if the phone is taken: the caller must roll back. */
export async function openAccount(
  tx: Tx,
  { accountId = newId(), isSystem = false, ...user }: NewAccount,
): Promise<UserRef | undefined> {
  await tx`
    insert into accounts (account_id, name, is_system)
    values (${accountId}, ${user.name}, ${isSystem})`;
  return addUser(tx, accountId, user);
}

/** Adds a user to an account. @returns `undefined` if the phone is taken: the caller must roll back. */
export async function addUser(
  tx: Tx,
  accountId: string,
  { name, phone, passwordHash, role, operatorRoles = [] }: NewUser,
): Promise<UserRef | undefined> {
  const userId = newId();
  await tx`
    insert into users (account_id, user_id, name, phone, password_hash, role, operator_roles)
    values (${accountId}, ${userId}, ${name}, ${phone}, ${passwordHash}, ${role}, ${operatorRoles})`;
  const [claimed] = await tx`
    insert into user_phones (phone, account_id, user_id) values (${phone}, ${accountId}, ${userId})
    on conflict (phone) do nothing returning phone`;
  return claimed && { accountId, userId };
}

export type PersonsPhone = { accountId: string; userId: string; phone: string };

export async function phonesOf(
  allAccountsSql: Sql | Tx,
  accountIds: readonly string[],
): Promise<readonly PersonsPhone[]> {
  return allAccountsSql<PersonsPhone[]>`
    select u.account_id as "accountId", u.user_id as "userId", u.phone
    from users u join accounts a on a.account_id = u.account_id
    where u.account_id = any(${accountIds}::uuid[]) and a.status <> 'closed'
    order by u.account_id, u.user_id`;
}

export async function isPhoneTaken(sql: Sql | Tx, phone: string): Promise<boolean> {
  const [row] = await sql`select 1 from user_phones where phone = ${phone}`;
  return row !== undefined;
}

export async function passwordOf(
  sql: Sql | Tx,
  { accountId, userId }: UserRef,
): Promise<{ hash: string; phone: string; name: string }> {
  const [row] = await sql<{ hash: string; phone: string; name: string }[]>`
    select password_hash as hash, phone, name from users
    where (account_id, user_id) = (${accountId}, ${userId})`;
  if (!row) throw new Refusal('not_signed_in', {});
  return row;
}

/**
 * Records that the account was recovered with a one-time code only. For a day from then, by the database's clock, other
 * domains refuse acts that would help a thief.
 *
 * Locks the row before it reads the clock: rows created under that lock count as before, rows that wait for it as
 * after.
 */
export async function beginCoolDown(
  tx: Tx,
  accountId: string,
  cause: 'password_reset' | 'phone_changed',
): Promise<void> {
  await tx`select 1 from accounts where account_id = ${accountId} for no key update`;
  await tx`
    update accounts set cooling_since = statement_timestamp(), cooling_cause = ${cause}
    where account_id = ${accountId}`;
}
