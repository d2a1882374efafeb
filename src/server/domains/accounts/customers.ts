import { formatPeer, isHiddenPeer } from '#contract/messages/peer.ts';
import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { normalizePhone } from '#contract/base/written-number.ts';
import { type CustomerState, SALDO_LOW, type SaldoRange } from '#contract/operator/customers.ts';
import type { AccountStatus } from './people.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

export type CustomerRow = {
  account_id: string;
  name: string;
  phone: string;
  available: number;
  held: number;
  status: 'active' | 'frozen' | 'closed';
  state: CustomerState;
  created_at: Date;
  erase_at: Date | null;
};

/** Beyond this, matches are not counted. */
const COUNT_MAX = 10_000;

/** The first state that applies, for an account `a` and its wallet `w`. */
const stateOf = (sql: Sql | Tx): Fragment => sql`
  case when 'closed' in (a.status, w.status) then 'closed' when a.status = 'suspended' then 'suspended'
    when a.erase_at is not null then 'closing' when w.status = 'frozen' then 'frozen' else 'active' end`;

const columns = (sql: Sql | Tx): Fragment => sql`
  a.account_id, a.name, w.available, w.held, w.status, ${stateOf(sql)} as state, a.created_at, a.erase_at`;

const ownersPhone = (sql: Sql | Tx): Fragment => sql`
  coalesce((
    select phone from users u where u.account_id = c.account_id order by u.created_at limit 1
  ), '') as phone`;

type CustomerQuery = {
  q?: string | undefined;
  state?: CustomerState | undefined;
  saldo?: SaldoRange | undefined;
  page?: number | undefined;
  sort_by?: 'created_at' | 'name' | 'available' | undefined;
  sort_type?: 'asc' | 'desc' | undefined;
  /** Accounts that match by an id, in addition to those of this name or number. */
  accountIds?: readonly string[] | undefined;
  /** True: only those accounts match. */
  isExact?: boolean | undefined;
  where?: Fragment | undefined;
};

/**
 * A page of the customers whose name contains the words, or one of whose numbers begins with the digits, or who are in
 * `meant`; the newest account first unless sorted otherwise.
 */
export async function findCustomers(sql: Sql, query: CustomerQuery): Promise<PageOf<CustomerRow>> {
  const { page = 0, where, saldo, state } = query;
  const asksWallet = saldo !== undefined || state !== undefined;
  const wallets = sql`join wallets w using (account_id)`;
  const matching = sql`where not a.is_system and ${matches(sql, query)}
    ${where ? sql`and ${where}` : sql``}`;
  const [found, [counted]] = await Promise.all([
    // The page first, so that numbers are read for its ten rows only.
    sql<CustomerRow[]>`
      select c.*, ${ownersPhone(sql)} from (
        select ${columns(sql)} from accounts a ${wallets} ${matching} order by ${orderOf(sql, query)}
        limit ${PAGE_SIZE} offset ${Math.min(page * PAGE_SIZE, COUNT_MAX)}
      ) c order by ${orderOf(sql, query, sql`c`, sql`c`)}`,
    sql<{ total: number }[]>`
      select count(*) as total from (
        select 1 from accounts a ${asksWallet ? wallets : sql``} ${matching} limit ${COUNT_MAX}
      ) counted`,
  ]);
  return { rows: found, total: counted?.total ?? 0 };
}

function orderOf(
  sql: Sql,
  { sort_by: by = 'created_at', sort_type: type }: CustomerQuery,
  account = sql`a`,
  wallet = sql`w`,
): Fragment {
  const isAscending = type === undefined ? by === 'name' : type === 'asc';
  const way = isAscending ? sql`asc` : sql`desc`;
  const last = sql`${account}.account_id ${way}`;
  if (by === 'name') return sql`lower(${account}.name) ${way}, ${last}`;
  return by === 'available' ? sql`${wallet}.available ${way}, ${last}` : last;
}

function matches(
  sql: Sql,
  { q = '', state, saldo, accountIds = [], isExact }: CustomerQuery,
): Fragment {
  const byId = sql`a.account_id = any(${[...accountIds]}::uuid[])`;
  const words = q === '' ? sql`true` : isExact ? byId : sql`(${byWords(sql, q)} or ${byId})`;
  return sql`${words}
    ${state === undefined ? sql`` : sql`and ${stateOf(sql)} = ${state}`}
    ${saldo === undefined ? sql`` : sql`and ${inRange(sql, saldo)}`}`;
}

function inRange(sql: Sql, saldo: SaldoRange): Fragment {
  if (saldo === 'empty') return sql`w.available <= 0`;
  return saldo === 'low'
    ? sql`w.available > 0 and w.available < ${SALDO_LOW}`
    : sql`w.available >= ${SALDO_LOW}`;
}

function byWords(sql: Sql, q: string): Fragment {
  const name = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
  const digits = normalizePhone(q);
  const byName = sql`a.name ilike ${name}::text`;
  if (!/^\d{3,15}$/.test(digits)) return byName;
  return sql`(${byName} or a.account_id in (
    select account_id from user_phones where phone like ${`${digits}%`}::text))`;
}

/** Undefined if the account is no customer's. */
export async function customerOf(
  sql: Sql | Tx,
  accountId: string,
): Promise<CustomerRow | undefined> {
  const [found] = await sql<CustomerRow[]>`
    select c.*, ${ownersPhone(sql)} from (
      select ${columns(sql)} from accounts a join wallets w using (account_id)
      where not a.is_system and a.account_id = ${accountId}
    ) c`;
  return found;
}

export type CustomerFacts = {
  name: string;
  /** Of its first user; empty once it is erased. */
  phone: string;
  status: AccountStatus;
  since: Date;
};

/** Undefined if the account is no customer's. */
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

export async function customersByPrefix(
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

/** `6281234567890` → `+62 812-••••-7890`: enough to recognise a customer, too little to call one. */
export function maskedPhone(phone: string): string {
  if (phone === '') return '';
  const digits = [...formatPhone(phone)];
  const places = digits.flatMap((letter, place) => (/\d/.test(letter) ? [place] : []));
  for (const place of places.slice(5, -4)) digits[place] = '•';
  return digits.join('');
}

/** The other side of a customer's message: a masked number, or the last letters of a user id. */
export const maskedPeer = (peer: string): string =>
  isHiddenPeer(peer) ? formatPeer(peer) : maskedPhone(peer);

export async function accountNames(
  sql: Sql | Tx,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await sql<{ account_id: string; name: string }[]>`
    select account_id, name from accounts where account_id = any(${[...accountIds]}::uuid[])`;
  return new Map(found.map(({ account_id, name }) => [account_id, name]));
}

export const answeringOperators = (
  sql: Sql | Tx,
): PromiseLike<{ user_id: string; name: string }[]> =>
  sql<{ user_id: string; name: string }[]>`
    select u.user_id, u.name from accounts a join users u using (account_id)
    where a.is_system and u.role = 'operator' and u.operator_roles && '{support,admin}'
    order by u.name, u.user_id`;

export async function operatorNames(
  sql: Sql | Tx,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await sql<{ user_id: string; name: string }[]>`
    select u.user_id, u.name from accounts a join users u using (account_id)
    where a.is_system and u.user_id = any(${[...userIds]}::uuid[])`;
  return new Map(found.map(({ user_id, name }) => [user_id, name]));
}

export type CustomerPerson = { accountId: string; userId: string };

const usersWhere = (sql: Sql | Tx, where: Fragment): Fragment => sql`
  from accounts a join users u using (account_id)
  where not a.is_system and a.status <> 'closed' and u.role = 'customer' and ${where}`;

/** Users of the next accounts that meet a condition on `a`, ordered by account. */
export const customersAfter = (
  sql: Sql | Tx,
  { after, limit, where }: { after: string; limit: number; where: Fragment },
): PromiseLike<CustomerPerson[]> => sql<CustomerPerson[]>`
  with next as (
    select distinct a.account_id ${usersWhere(sql, where)} and a.account_id > ${after}
    order by a.account_id limit ${limit}
  )
  select u.account_id as "accountId", u.user_id as "userId"
  from next join users u using (account_id) where u.role = 'customer'
  order by u.account_id, u.user_id`;

/** Counts the users whose account `a` meets each of these conditions, in one pass. */
export async function countCustomers(
  sql: Sql | Tx,
  conditions: readonly Fragment[],
): Promise<number[]> {
  const none = sql`array[]::integer[]`;
  const counts = conditions.reduce(
    (before, one) => sql`${before} || (count(*) filter (where ${one}))::integer`,
    none,
  );
  const [row] = await sql<{ counts: number[] }[]>`
    select ${counts} as counts ${usersWhere(sql, sql`true`)}`;
  return row?.counts ?? [];
}

export async function isAccount(sql: Sql | Tx, id: string, where: Fragment): Promise<boolean> {
  const found = await sql`select from accounts a where a.account_id = ${id} and ${where}`;
  return found.length > 0;
}
