import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { formatPhone, normalizePhone } from '#contract/base/phone.ts';
import type { AccountStatus } from './people.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** A customer's account with its wallet, as operators look for it. */
export type CustomerRow = {
  account_id: string;
  name: string;
  phone: string;
  available: number;
  held: number;
  status: 'active' | 'frozen' | 'closed';
};

/** Beyond this many, found customers are not counted further. */
const COUNT_MAX = 10_000;

const columns = (sql: Sql | Tx) => sql`
  a.account_id, a.name, coalesce(owner.phone, '') as phone, w.available, w.held, w.status
  from accounts a join wallets w using (account_id)
  left join lateral (
    select phone from users u where u.account_id = a.account_id order by u.created_at limit 1
  ) owner on true`;

type CustomerQuery = {
  q?: string | undefined;
  page?: number | undefined;
  sort_type?: 'asc' | 'desc' | undefined;
};

/**
 * A page of the customers whose name contains the words, or one of whose numbers begins with the digits;
 * the newest account first.
 */
export async function findCustomers(
  allAccountsSql: Sql,
  { q = '', page = 0, sort_type }: CustomerQuery,
): Promise<PageOf<CustomerRow>> {
  const matches = allAccountsSql`not a.is_system and ${matching(allAccountsSql, q)}`;
  const [found, [counted]] = await Promise.all([
    allAccountsSql<CustomerRow[]>`
      select ${columns(allAccountsSql)} where ${matches}
      order by a.account_id ${sort_type === 'asc' ? allAccountsSql`asc` : allAccountsSql`desc`}
      limit ${PAGE_SIZE} offset ${Math.min(page * PAGE_SIZE, COUNT_MAX)}`,
    allAccountsSql<{ total: number }[]>`
      select count(*) as total from (
        select from accounts a where ${matches} limit ${COUNT_MAX}
      ) counted`,
  ]);
  return { rows: found, total: counted?.total ?? 0 };
}

function matching(sql: Sql, q: string) {
  if (q === '') return sql`true`;
  const name = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
  const digits = normalizePhone(q);
  const byName = sql`a.name ilike ${name}::text`;
  if (!/^\d{3,15}$/.test(digits)) return byName;
  return sql`(${byName} or a.account_id in (
    select account_id from user_phones where phone like ${`${digits}%`}::text))`;
}

/** One customer; `undefined` when no customer has this account. */
export async function customerOf(
  sql: Sql | Tx,
  accountId: string,
): Promise<CustomerRow | undefined> {
  const [found] = await sql<CustomerRow[]>`
    select ${columns(sql)} where not a.is_system and a.account_id = ${accountId}`;
  return found;
}

/** A customer's account, as customer service sees it. */
export type CustomerFacts = {
  name: string;
  /** Of its first person; empty once it is erased. */
  phone: string;
  status: AccountStatus;
  since: Date;
};

/** One customer; `undefined` when no customer has this account. */
export async function customerFacts(
  sql: Sql | Tx,
  accountId: string,
): Promise<CustomerFacts | undefined> {
  const [found] = await sql<CustomerFacts[]>`
    select a.name, a.status, a.created_at as since, coalesce((
      select u.phone from users u where u.account_id = a.account_id order by u.created_at limit 1
    ), '') as phone
    from accounts a where a.account_id = ${accountId} and not a.is_system`;
  return found;
}

/** The accounts of customers whose name, or one of whose numbers, begins with what was typed. */
export async function customersBeginning(
  allAccountsSql: Sql,
  q: string,
  limit: number,
): Promise<string[]> {
  const name = `${q.replace(/[\\%_]/g, '\\$&')}%`;
  const digits = normalizePhone(q);
  const byPhone = /^\d{3,15}$/.test(digits)
    ? allAccountsSql`union select account_id from user_phones where phone like ${`${digits}%`}::text`
    : allAccountsSql``;
  const found = await allAccountsSql<{ account_id: string }[]>`
    select account_id from accounts where not is_system and name ilike ${name}::text ${byPhone}
    limit ${limit}`;
  return found.map(({ account_id }) => account_id);
}

/** `6281234567890` → `+62 812-••••-7890`: enough to tell a customer, too little to call one. */
export function maskedPhone(phone: string): string {
  if (phone === '') return '';
  const digits = [...formatPhone(phone)];
  const places = digits.flatMap((letter, place) => (/\d/.test(letter) ? [place] : []));
  for (const place of places.slice(5, -4)) digits[place] = '•';
  return digits.join('');
}

/** What accounts are called, by their ids. */
export async function accountNames(
  sql: Sql | Tx,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await sql<{ account_id: string; name: string }[]>`
    select account_id, name from accounts where account_id = any(${[...accountIds]}::uuid[])`;
  return new Map(found.map(({ account_id, name }) => [account_id, name]));
}

/** The operators who answer customers, by name. */
export const answeringOperators = (
  sql: Sql | Tx,
): PromiseLike<{ user_id: string; name: string }[]> =>
  sql<{ user_id: string; name: string }[]>`
    select u.user_id, u.name from accounts a join users u using (account_id)
    where a.is_system and u.role = 'operator' and u.operator_roles && '{support,admin}'
    order by u.name, u.user_id`;

/** What the installation's operators are called, by their ids. */
export async function operatorNames(
  sql: Sql | Tx,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await sql<{ user_id: string; name: string }[]>`
    select u.user_id, u.name from accounts a join users u using (account_id)
    where a.is_system and u.user_id = any(${[...userIds]}::uuid[])`;
  return new Map(found.map(({ user_id, name }) => [user_id, name]));
}
