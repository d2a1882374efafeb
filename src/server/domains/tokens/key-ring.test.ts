import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { changeKeys, changeTokens, customerWith } from '#tests/support/people/people.ts';
import { removeToken, rotateKey } from './tokens.ts';
import { tokenSubscribers as subscribers } from '#server/app/container.ts';
import { addToken } from '#server/domains/tokens/create.ts';
import { defaultScopes } from '#contract/tokens.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import { openKeyRing, makeKey } from './keys.ts';

const now = () => new Date();
const throws = (error: unknown) => {
  throw error;
};

async function ringWith(sql: Sql) {
  const ani = await customerWith(sql);
  const { token, key } = await addToken(
    { sql, subscribers, limitOf: async () => undefined, isOffered: () => true },
    ani.accountId,
    {
      name: 'Toko',
      channel: 'simulator',
    },
  );
  const [made] = await sql<{ token_id: string }[]>`
    select token_id from tokens where name = 'Toko' and account_id = ${ani.accountId}`;
  const clock = { ms: 0 };
  const ring = openKeyRing({ allAccountsSql: sql, report: throws, now, clockMs: () => clock.ms });
  return { ring, clock, key, token, tokenId: made!.token_id, accountId: ani.accountId };
}

function counted(sql: Sql): { sql: Sql; queries: () => number } {
  let queries = 0;
  const counting = new Proxy(sql, {
    apply(target, self, given) {
      queries += 1;
      return Reflect.apply(target, self, given) as unknown;
    },
  });
  return { sql: counting, queries: () => queries };
}

test('finds the account, the token and the facts for sending by a key', async ({ sql }) => {
  const { ring, key, tokenId, accountId } = await ringWith(sql);
  expect(await ring.find(key)).toEqual({
    accountId,
    tokenId,
    status: 'unlinked',
    channel: 'simulator',
    phone: null,
    dailyLimit: 1000,
    accountStatus: 'active',
    scopes: [...defaultScopes],
    allowedAddresses: [],
    expiresOn: null,
    keyInAddress: true,
    simulated: true,
    readAtMs: expect.any(Number),
  });
});

test('refuses a key with a wrong checksum without a query', async ({ sql }) => {
  const { key } = await ringWith(sql);
  const { sql: allAccountsSql, queries } = counted(sql);
  const ring = openKeyRing({ allAccountsSql, report: throws, now });
  const altered = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');

  expect(await ring.find(altered)).toBeUndefined();
  expect(await ring.find('kbr_test_')).toBeUndefined();
  expect(queries()).toBe(0);
  expect(await ring.find(makeKey('simulator').key)).toBeUndefined();
  expect(queries()).toBe(1);
});

test('looks a key up once for a thousand calls within half a second', async ({ sql }) => {
  const { key } = await ringWith(sql);
  const { sql: allAccountsSql, queries } = counted(sql);
  const ring = openKeyRing({ allAccountsSql, report: throws, now, clockMs: () => 0 });
  const found = await Promise.all(Array.from({ length: 1000 }, () => ring.find(key)));
  expect(new Set(found).size).toBe(1);
  expect(queries()).toBe(1);
});

test('refreshes a busy key in the background without delaying calls', async ({ sql }) => {
  const { ring, clock, key, accountId, tokenId } = await ringWith(sql);
  await ring.find(key);
  await changeTokens(sql, { accountId, tokenId }, { dailyLimit: 7 });
  clock.ms = 600;
  expect(await ring.find(key)).toMatchObject({ dailyLimit: 1000 });
  await waitFor(async () => expect(await ring.find(key)).toMatchObject({ dailyLimit: 7 }));
});

test('refuses a deleted token a second later', async ({ sql }) => {
  const { ring, clock, key, accountId, tokenId } = await ringWith(sql);
  expect(await ring.find(key)).toBeDefined();
  await removeToken({ sql, subscribers }, accountId, tokenId);
  clock.ms = 1_000;
  expect(await ring.find(key)).toBeUndefined();
});

test('accepts a rotated key beside the new one for 24 hours', async ({ sql }) => {
  const { ring, clock, key, accountId, tokenId } = await ringWith(sql);
  const { key: next } = await rotateKey({ sql, subscribers }, accountId, tokenId);
  expect(await ring.find(key)).toBeDefined();
  expect(await ring.find(next)).toBeDefined();

  await changeKeys(sql, { hash: sha256(key) }, { expiresAt: now() });
  clock.ms = 1_000;
  expect(await ring.find(key)).toBeUndefined();
  expect(await ring.find(next)).toBeDefined();
});

test('does not cache a failed lookup', async ({ sql }) => {
  const { key } = await ringWith(sql);
  let broken = true;
  const allAccountsSql = new Proxy(sql, {
    apply: (target, self, given) =>
      broken
        ? Promise.reject(new Error('no database'))
        : (Reflect.apply(target, self, given) as unknown),
  });
  const ring = openKeyRing({ allAccountsSql, report: throws, now, clockMs: () => 0 });
  await expect(ring.find(key)).rejects.toThrow('no database');
  broken = false;
  expect(await ring.find(key)).toBeDefined();
});

test('records the use of a token once a minute at most', async ({ sql }) => {
  const { ring, tokenId, accountId } = await ringWith(sql);
  for (let call = 0; call < 100; call++) ring.touch({ accountId, tokenId });
  await ring.close();
  const [first] = await sql<{ last_used_at: Date | null }[]>`
    select last_used_at from tokens where token_id = ${tokenId}`;
  expect(first?.last_used_at).toBeInstanceOf(Date);

  const elsewhere = openKeyRing({ allAccountsSql: sql, report: throws, now });
  elsewhere.touch({ accountId, tokenId });
  await elsewhere.close();
  const [second] = await sql`select last_used_at from tokens where token_id = ${tokenId}`;
  expect(second).toEqual(first);
});
