import { createHash, randomBytes } from 'node:crypto';
import { rupiah } from '#contract/base/money.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { openWallet } from '#server/domains/ledger/ledger.ts';
import { makeKey } from '#server/domains/tokens/keys.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import { changeOf } from '#tests/support/database/changes.ts';
import { giveSaldo } from '#tests/support/money/wallets.ts';

export type Customer = { accountId: string; userId: string; tokenId: string; phone: string };

let people = 0;

/** An account without a wallet. @returns its id. */
export async function makeAccount(
  sql: Sql | Tx,
  {
    accountId = newId(),
    name = 'Toko',
    isSystem = false,
  }: { accountId?: string; name?: string; isSystem?: boolean } = {},
): Promise<string> {
  await sql`
    insert into accounts (account_id, name, is_system) values (${accountId}, ${name}, ${isSystem})`;
  return accountId;
}

export const changeAccounts = changeOf('accounts', ['accountId']);

/** Closes an account, as when its owner's deletion is due. */
export async function closeAccount(sql: Sql, accountId: string): Promise<void> {
  await changeAccounts(sql, { accountId }, { eraseAt: 'now' });
  await sql`select close_account(${accountId})`;
}

type UserOptions = {
  userId?: string;
  name?: string;
  phone?: string;
  passwordHash?: string;
  /** An operator's; a customer has none. */
  roles?: readonly string[];
};

/** A user, without a password by default. @returns the id. */
export async function makeUser(
  sql: Sql | Tx,
  accountId: string,
  {
    userId = newId(),
    name = 'Ani',
    phone = `62855${nextNumber()}`,
    passwordHash = '-',
    roles,
  }: UserOptions = {},
): Promise<string> {
  await sql`
    insert into users (account_id, user_id, name, phone, password_hash, role, operator_roles)
    values (${accountId}, ${userId}, ${name}, ${phone}, ${passwordHash}, ${roles ? 'operator' : 'customer'},
      ${roles ?? []})`;
  return userId;
}

export const changeUsers = changeOf('users', ['accountId', 'userId', 'role']);

export const makeOperators = (
  sql: Sql | Tx,
  of: { accountId?: string; userId?: string },
  operatorRoles: readonly string[] = ['admin'],
) => changeUsers(sql, of, { role: 'operator', operatorRoles });

export const reservePhone = (
  sql: Sql | Tx,
  { phone, accountId, userId }: Pick<Customer, 'phone' | 'accountId' | 'userId'>,
) => sql`
  insert into user_phones (phone, account_id, user_id) values (${phone}, ${accountId}, ${userId})`;

export const browserOf = (token: string): string =>
  createHash('sha256').update(`browser of ${token}`).digest('base64url');

export async function makeSession(
  sql: Sql | Tx,
  { accountId, userId }: Pick<Customer, 'accountId' | 'userId'>,
  { device, secondFactorAt = null }: { device?: string; secondFactorAt?: Date | null } = {},
): Promise<{ token: string; sessionId: string }> {
  const token = `kbs_${randomBytes(32).toString('base64url')}`;
  const sessionId = newId();
  await sql`
    insert into sessions (
      token_hash, session_id, account_id, user_id, agent, ip, device_hash, second_factor_at
    ) values (
      ${sha256(token)}, ${sessionId}, ${accountId}, ${userId}, 'Firefox', '203.0.113.7',
      ${sha256(device ?? browserOf(token))}, ${secondFactorAt}
    )`;
  return { token, sessionId };
}

export const changeSessions = changeOf('sessions', ['accountId', 'userId', 'sessionId', 'ip']);

type TokenOptions = {
  tokenId?: string;
  name?: string;
  channel?: string;
  status?: string;
  phone?: string | null;
  dailyLimit?: number;
};

/** A token with its lane. @returns its id. */
export async function makeToken(
  sql: Sql | Tx,
  accountId: string,
  {
    tokenId = newId(),
    name = 'Kasir',
    channel = 'simulator',
    status = 'linked',
    phone = null,
    dailyLimit = 1000,
  }: TokenOptions = {},
): Promise<string> {
  await sql`
    insert into tokens (account_id, token_id, name, channel, status, phone, key_hint, daily_limit)
    values (${accountId}, ${tokenId}, ${name}, ${channel}, ${status}, ${phone}, 'abcd', ${dailyLimit})`;
  await sql`insert into lanes (account_id, token_id) values (${accountId}, ${tokenId})`;
  return tokenId;
}

export const changeTokens = changeOf('tokens', ['accountId', 'tokenId'], {
  isSuspended: 'account_suspended',
});

export const linkPhone = (
  sql: Sql | Tx,
  { accountId, tokenId, phone }: Omit<Customer, 'userId'>,
) => sql`
  insert into linked_phones (channel, phone, account_id, token_id)
  values ('simulator', ${phone}, ${accountId}, ${tokenId}) on conflict do nothing`;

export async function keyFor(
  sql: Sql | Tx,
  { accountId, tokenId }: Pick<Customer, 'accountId' | 'tokenId'>,
  channel: ChannelName = 'simulator',
): Promise<string> {
  const { key, hash } = makeKey(channel);
  await sql`
    insert into token_keys (key_hash, account_id, token_id) values (${hash}, ${accountId}, ${tokenId})`;
  return key;
}

export const changeKeys = changeOf('token_keys', ['accountId', 'tokenId', 'hash'], {
  hash: 'key_hash',
});

/** A customer with a wallet, a user, and one token linked to a simulated phone. */
export async function customerWith(
  sql: Sql,
  {
    saldo = 0,
    dailyLimit = 1000,
    linked = true,
  }: { saldo?: number; dailyLimit?: number; linked?: boolean } = {},
): Promise<Customer> {
  const number = nextNumber();
  const phone = `62855${number}`;
  // Before any await: ids of customers created at the same time are in the order of the calls.
  const [accountId, userId, tokenId] = [newId(), newId(), newId()];
  return sql.begin(async (tx) => {
    await makeAccount(tx, { accountId, name: `Toko ${Number(number)}` });
    await makeUser(tx, accountId, { userId, name: `Ani ${Number(number)}`, phone });
    const link = linked ? { phone } : { status: 'unlinked' };
    await makeToken(tx, accountId, { ...link, tokenId, dailyLimit });
    await openWallet(tx, accountId);
    if (saldo > 0) await giveSaldo(tx, accountId, saldo);
    return { accountId, userId, tokenId, phone };
  });
}

/** Seven digits that are unique within this process. */
function nextNumber(): string {
  people += 1;
  return String(people).padStart(7, '0');
}

export function orderOf(
  customer: Pick<Customer, 'accountId' | 'tokenId'>,
  {
    prices = [150],
    key,
    refs = [],
    peers = [],
    text = 'Halo',
  }: {
    prices?: readonly number[];
    key?: string;
    refs?: readonly (string | undefined)[];
    peers?: readonly string[];
    text?: string;
  } = {},
) {
  const hash = createHash('sha256')
    .update(JSON.stringify([prices, refs, peers, text]))
    .digest();
  const items = prices.map((price, index) => ({
    id: newId(),
    tokenId: customer.tokenId,
    peer: peers[index] ?? '6281200000001',
    type: 'text',
    body: { text },
    price: rupiah(price),
    ref: refs[index],
    hash: createHash('sha256').update(`${price} ${text} ${peers[index]}`).digest(),
    priority: 1,
  }));
  return { accountId: customer.accountId, tokenId: customer.tokenId, key, hash, items };
}
