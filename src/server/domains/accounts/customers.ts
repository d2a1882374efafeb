import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { formatPhone, normalizePhone } from '#contract/base/phone.ts';
import type { AccountStatus } from './people.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

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

/** Somebody who can be told something. */
type CustomerPerson = { accountId: string; userId: string };

/** SQL of the customers of accounts `a` that are in use, and meet a condition. */
const peopleWhere = (sql: Sql | Tx, where: Fragment): Fragment => sql`
  from accounts a join users u using (account_id)
  where not a.is_system and a.status <> 'closed' and u.role = 'customer' and ${where}`;

/** The people of the next accounts after one that meet a condition on `a`, in the order of their accounts. */
export const customersAfter = (
  sql: Sql | Tx,
  { after, limit, where }: { after: string; limit: number; where: Fragment },
): PromiseLike<CustomerPerson[]> => sql<CustomerPerson[]>`
  with next as (
    select distinct a.account_id ${peopleWhere(sql, where)} and a.account_id > ${after}
    order by a.account_id limit ${limit}
  )
  select u.account_id as "accountId", u.user_id as "userId"
  from next join users u using (account_id) where u.role = 'customer'
  order by u.account_id, u.user_id`;

/** How many people meet a condition on their account `a`. */
export async function countCustomers(sql: Sql | Tx, where: Fragment): Promise<number> {
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n ${peopleWhere(sql, where)}`;
  return row?.n ?? 0;
}

/** Whether an account `a` meets a condition. */
export async function isAccount(sql: Sql | Tx, id: string, where: Fragment): Promise<boolean> {
  const found = await sql`select from accounts a where a.account_id = ${id} and ${where}`;
  return found.length > 0;
}
