import { expect } from 'vitest';
import type { InputOf } from '#contract/base/act.ts';
import { actsOf } from '#tests/support/acts-of.ts';
import { civilDate } from '#contract/base/time.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  Token,
  createToken,
  deleteToken,
  firstToken,
  getToken,
  listTokens,
  rotateToken,
  unlinkToken,
  updateToken,
} from '#contract/tokens.ts';
import {
  changeAccounts,
  changeKeys,
  customerWith,
  linkPhone,
  makeAccount,
} from '#tests/support/people/people.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { tokenSubscribers as subscribers } from '#server/app/container.ts';
import { readConfig } from '#server/infra/config.ts';
import { secretsFrom, sha256 } from '#server/infra/security/secrets.ts';
import { ensureSystemToken, tokensActs } from './tokens.ts';
import { changeLanes } from '#tests/support/app/lanes.ts';
import { inFuture } from '#tests/support/database/changes.ts';

function tokensFor(db: TestDatabase, accountId: string) {
  const handlers = tokensActs({
    sql: db.tenantSql,
    limitOf: async () => undefined,
    isOffered: () => true,
    secrets: secretsFrom(Buffer.alloc(32)),
    subscribers,
    config: readConfig({}),
    now: () => new Date(),
  });
  return actsOf(handlers, accountId);
}

const idOf = (token: Token) => uuidOf('token', token.id)!;

test('shows the key of a new token once and stores only its hash', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const ask = tokensFor(db, ani.accountId);
  const { token, key } = await ask(createToken, { name: 'Toko', channel: 'simulator' });

  expect(Token().parse(token)).toMatchObject({
    name: 'Toko',
    channel: 'simulator',
    status: 'unlinked',
    phone: null,
    key_hint: key.slice(-4),
    sent_today: 0,
    daily_limit: 1000,
    last_used_at: null,
  });
  expect(await sql`select key_hash from token_keys where token_id = ${idOf(token)}`).toEqual([
    { key_hash: sha256(key) },
  ]);
  expect(await sql`select owner, epoch from lanes where token_id = ${idOf(token)}`).toEqual([
    { owner: null, epoch: 0 },
  ]);
  const [published] = await sql`select kind, data from outbox where account_id = ${ani.accountId}`;
  expect(published).toEqual({ kind: 'token.changed', data: { token_id: token.id } });
});

test('refuses the eleventh token, also of simultaneous requests', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const ask = tokensFor(db, ani.accountId);
  const requests = Array.from({ length: 12 }, (_, n) =>
    ask(createToken, { name: `Token ${n}`, channel: 'simulator' }),
  );
  const answers = await Promise.allSettled(requests);
  const refused = answers.filter((answer) => answer.status === 'rejected');
  expect(refused.map(({ reason }) => reason as unknown)).toEqual([
    new Refusal('tokens_full', { limit: 10 }),
    new Refusal('tokens_full', { limit: 10 }),
    new Refusal('tokens_full', { limit: 10 }),
  ]);
  expect((await ask(listTokens, {})).total).toBe(10);
});

test('allows another token after a deletion', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const ask = tokensFor(db, ani.accountId);
  for (let n = 1; n < 10; n++) await ask(createToken, { name: `Token ${n}`, channel: 'simulator' });
  await ask(deleteToken, { token_id: ani.tokenId });
  const { token } = await ask(createToken, { name: 'Pengganti', channel: 'simulator' });
  expect(token.name).toBe('Pengganti');
});

test('refuses a new token to a suspended account', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  await changeAccounts(sql, ani, { status: 'suspended' });
  const requests = tokensFor(db, ani.accountId)(createToken, {
    name: 'Toko',
    channel: 'simulator',
  });
  await expect(requests).rejects.toEqual(new Refusal('account_suspended', {}));
});

test('lists tokens newest first, ten per page, or sorted', async ({ db, sql }) => {
  const ani = await customerWith(sql, { linked: false });
  const ask = tokensFor(db, ani.accountId);
  for (const name of ['Citra', 'Ani', 'Budi'])
    await ask(createToken, { name, channel: 'simulator' });
  const names = async (input: InputOf<typeof listTokens>) =>
    (await ask(listTokens, input)).rows.map(({ name }) => name);

  expect(await names({})).toEqual(['Budi', 'Ani', 'Citra', 'Kasir']);
  expect(await names({ sort_by: 'name' })).toEqual(['Ani', 'Budi', 'Citra', 'Kasir']);
  expect(await names({ sort_by: 'name', sort_type: 'desc' })).toEqual([
    'Kasir',
    'Citra',
    'Budi',
    'Ani',
  ]);
  expect(await ask(listTokens, { page: 1 })).toEqual({ rows: [], total: 4 });
});

test('counts the messages sent today by the WIB day', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const sentOn = async (daysAgo: number) => {
    const day = civilDate(new Date(Date.now() - daysAgo * 86_400_000));
    await changeLanes(db.owner, ani, { accepted: 42, day });
    return (await tokensFor(db, ani.accountId)(getToken, { token_id: ani.tokenId })).sent_today;
  };
  expect(await sentOn(0)).toBe(42);
  expect(await sentOn(1)).toBe(0);
});

test('changes the name or limit of a token and keeps omitted fields', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const ask = tokensFor(db, ani.accountId);
  const renamed = await ask(updateToken, { token_id: ani.tokenId, name: 'Gudang' });
  expect(renamed).toMatchObject({ name: 'Gudang', daily_limit: 1000 });
  const limited = await ask(updateToken, { token_id: ani.tokenId, daily_limit: 5 });
  expect(limited).toMatchObject({ name: 'Gudang', daily_limit: 5 });
});

test('ends a rotated key after 24 hours, and another rotation does not extend it', async ({
  db,
  sql,
}) => {
  const ani = await customerWith(sql);
  const ask = tokensFor(db, ani.accountId);
  const first = await ask(rotateToken, { token_id: ani.tokenId });
  const second = await ask(rotateToken, { token_id: ani.tokenId });
  const ends = () => sql<{ expires_at: Date | null; left_h: number | null }[]>`
    select expires_at, round(extract(epoch from expires_at - clock_timestamp()) / 3600)::int as left_h
    from token_keys where token_id = ${ani.tokenId} order by created_at`;
  const before = await ends();
  expect(before.map(({ left_h }) => left_h)).toEqual([24, null]);

  await changeKeys(sql, { hash: sha256(first.key) }, { expiresAt: inFuture('4 hours') });
  const third = await ask(rotateToken, { token_id: ani.tokenId });
  expect((await ends()).map(({ left_h }) => left_h)).toEqual([4, 24, null]);
  expect(third.token.key_hint).toBe(third.key.slice(-4));
  expect(second.key).not.toBe(third.key);
});

test('frees the phone, ends the keys and hides a deleted token', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const ask = tokensFor(db, ani.accountId);
  await ask(rotateToken, { token_id: ani.tokenId });
  await linkPhone(sql, ani);
  await ask(deleteToken, { token_id: ani.tokenId });

  expect(await sql`select 1 from linked_phones where phone = ${ani.phone}`).toEqual([]);
  expect(await sql`select 1 from token_keys where revoked_at is null`).toEqual([]);
  for (const act of [getToken, deleteToken, rotateToken, unlinkToken]) {
    await expect(ask(act, { token_id: ani.tokenId })).rejects.toEqual(
      new Refusal('not_found', { what: 'Token' }),
    );
  }
});

test('hides and protects the tokens of another account', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const budi = await customerWith(sql);
  const ask = tokensFor(db, budi.accountId);
  const before = await sql`select * from tokens where token_id = ${ani.tokenId}`;
  for (const act of [getToken, deleteToken, rotateToken, unlinkToken, updateToken]) {
    await expect(ask(act, { token_id: ani.tokenId })).rejects.toEqual(
      new Refusal('not_found', { what: 'Token' }),
    );
  }
  expect((await ask(listTokens, {})).rows.map(idOf)).toEqual([budi.tokenId]);
  expect(await sql`select * from tokens where token_id = ${ani.tokenId}`).toEqual(before);
});

test('creates the system token once, also when two processes start together', async ({ sql }) => {
  await makeAccount(sql, { isSystem: true });
  const both = await Promise.all([
    ensureSystemToken(sql, '6281100000000', subscribers),
    ensureSystemToken(sql, '6281100000000', subscribers),
  ]);
  expect(both[0]).toEqual(both[1]);
  expect(await ensureSystemToken(sql, '6281100000099', subscribers)).toEqual(both[0]);
  expect(await sql`select status, phone, is_system from tokens`).toEqual([
    { status: 'linked', phone: '6281100000000', is_system: true },
  ]);
  expect(await sql`select count(*) from token_keys`).toEqual([{ count: 0 }]);
});

test('creates no system token without a system account', async ({ sql }) => {
  await expect(ensureSystemToken(sql, '6281100000000', subscribers)).rejects.toThrow(
    'system account',
  );
});

test('an account without a token gets one, without a key, also from calls at the same time', async ({
  db,
  sql,
}) => {
  const accountId = await makeAccount(sql, { name: 'Toko Melati' });
  const ask = tokensFor(db, accountId);
  const [one, other] = await Promise.all([
    ask(firstToken, { channel: 'simulator' }),
    ask(firstToken, { channel: 'web' }),
  ]);
  expect(one.id).toBe(other.id);
  expect(one).toMatchObject({ name: 'Toko Melati', status: 'unlinked', key_hint: '' });
  expect(await sql`select from tokens where account_id = ${accountId}`).toHaveLength(1);
  expect(await sql`select from token_keys where account_id = ${accountId}`).toEqual([]);

  const { key, token } = await ask(rotateToken, { token_id: idOf(one) });
  expect(token.key_hint).toBe(key.slice(-4));
});

test('an account with tokens keeps them, and its oldest one is the first', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  const ask = tokensFor(db, accountId);
  await ask(createToken, { name: 'Kedua', channel: 'simulator' });
  expect(idOf(await ask(firstToken, { channel: 'simulator' }))).toBe(tokenId);
  expect(await sql`select from tokens where account_id = ${accountId}`).toHaveLength(2);
});
