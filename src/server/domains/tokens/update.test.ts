import { expect } from 'vitest';
import type { InputFor } from '#contract/base/act.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { beginCoolDown } from '#server/domains/accounts/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { defaultScopes } from '#contract/tokens.ts';
import { updateTokenAccess } from '#contract/token-access.ts';
import { tokenSubscribers as subscribers } from '#server/app/container.ts';
import { openKeyRing } from './keys.ts';
import { addToken } from '#server/domains/tokens/create.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { changeTokens, customerWith } from '#tests/support/people/people.ts';
import { changeAccess, isWider } from './access.ts';

const NOW = new Date('2026-11-23T05:00:00Z');

async function tokenWith({ allAccountsSql, tenantSql: sql }: TestDatabase) {
  const { accountId } = await customerWith(allAccountsSql);
  const limitOf = async () => undefined;
  const made = await addToken({ sql, subscribers, limitOf, isOffered: () => true }, accountId, {
    name: 'Kasir',
    channel: 'simulator',
  });
  const change = (given: Partial<InputFor<typeof updateTokenAccess>> = {}, by = accountId) => {
    const input = updateTokenAccess.input.parse({
      token_id: made.token.id,
      scopes: [...defaultScopes],
      addresses: '',
      expires_on: '',
      ...given,
    });
    return changeAccess({ sql, subscribers, now: () => NOW }, by, input);
  };
  return { accountId, ...made, change };
}

const wrong = (sentence: string) =>
  new Refusal('input_invalid', { fields: { expires_on: sentence } });

test('creates a token with all permissions but that of assistants, from any address, without expiry', async ({
  db,
}) => {
  const { token } = await tokenWith(db);
  expect(token.access).toEqual({
    scopes: defaultScopes,
    addresses: [],
    expires_on: null,
    key_in_address: true,
  });
  expect(defaultScopes).not.toContain('agent');
});

test('stores the last access rules in their normal form and announces them', async ({ db }) => {
  const { change, token, accountId } = await tokenWith(db);
  const changed = await change({
    scopes: ['messages.send', 'messages.send'],
    addresses: ' 203.0.113.7\n::ffff:203.0.113.7, 2001:DB8:1::/32;10.0.0.9/8 ',
    expires_on: '2026-11-23',
  });
  expect(changed.access).toEqual({
    scopes: ['messages.send'],
    addresses: ['203.0.113.7', '2001:db8::/32', '10.0.0.0/8'],
    expires_on: '2026-11-23',
    key_in_address: true,
  });
  const off = await change({ key_in_address: '0' });
  expect(off.access.key_in_address).toBe(false);
  expect((await change({})).access.key_in_address).toBe(false);
  const again = await change({ key_in_address: '1' });
  expect(again.access).toEqual(token.access);
  const announced = await db.allAccountsSql`
    select data from outbox where account_id = ${accountId} and kind = 'token.changed'`;
  expect(announced).toHaveLength(5);
});

test('names invalid addresses and too many of them', () => {
  const read = (addresses: string) =>
    updateTokenAccess.input.safeParse({
      token_id: publicId('token', '01900000-0000-7000-8000-000000000000'),
      scopes: ['media'],
      addresses,
      expires_on: '',
    });
  const saying = (addresses: string) => read(addresses).error?.issues.map(({ message }) => message);
  expect(saying('203.0.113.7 203.0.113.300')).toEqual([
    '"203.0.113.300" bukan alamat IP. Contoh: 203.0.113.7 atau 2001:db8::/32.',
  ]);
  const many = (count: number) => Array.from({ length: count }, (_, n) => `10.0.0.${n}`).join('\n');
  expect(read(many(50)).success).toBe(true);
  expect(saying(many(51))).toEqual(['Paling banyak 50 alamat.']);
  expect(read(`${many(50)} 10.0.0.1`).success).toBe(true);
});

test('allows a last day from today up to ten years', async ({ db }) => {
  const { change, token } = await tokenWith(db);
  const past = 'Hari ini sudah lewat. Pilih hari ini atau sesudahnya.';
  const far = 'Paling lama 10 tahun dari sekarang.';
  await expect(change({ expires_on: '2026-11-22' })).rejects.toEqual(wrong(past));
  await expect(change({ expires_on: '1000-01-01' })).rejects.toEqual(wrong(past));
  await expect(change({ expires_on: '2036-11-24' })).rejects.toEqual(wrong(far));
  await expect(change({ expires_on: '9999-12-31' })).rejects.toEqual(wrong(far));
  expect((await change({ expires_on: '2036-11-23' })).access.expires_on).toBe('2036-11-23');
  expect((await change({ expires_on: '2026-11-23' })).access.expires_on).toBe('2026-11-23');

  // An expired one may stay while another field changes.
  const tokenId = uuidOf('token', token.id)!;
  await changeTokens(db.allAccountsSql, { tokenId }, { expiresOn: '2026-11-01' });
  const kept = await change({ expires_on: '2026-11-01', scopes: ['media'] });
  expect(kept.access).toMatchObject({ expires_on: '2026-11-01', scopes: ['media'] });
});

test('allows narrowing but not widening a token while no new key is issued', async ({ db }) => {
  const { change, accountId } = await tokenWith(db);
  await change({ addresses: '203.0.113.0/24' });
  await db.allAccountsSql.begin((tx) => beginCoolDown(tx, accountId, 'password_reset'));
  const cooling = new Refusal('cooling_down', { hours: 24 });
  await expect(change()).rejects.toEqual(cooling);
  await expect(change({ addresses: '203.0.112.0/23' })).rejects.toEqual(cooling);
  const narrowed = await change({ addresses: '203.0.113.7', scopes: ['media'] });
  expect(narrowed.access).toMatchObject({ addresses: ['203.0.113.7'], scopes: ['media'] });
});

test('treats another scope, a further address or a later day as widening', () => {
  const before = {
    scopes: ['media' as const],
    addresses: ['10.0.0.0/8'],
    expires_on: '2027-01-01',
    key_in_address: false,
  };
  const wider = [
    { ...before, scopes: ['media' as const, 'agent' as const] },
    { ...before, addresses: [] },
    { ...before, addresses: ['10.1.0.0/16', '192.0.2.1'] },
    { ...before, expires_on: null },
    { ...before, expires_on: '2027-01-02' },
    { ...before, key_in_address: true },
  ];
  expect(wider.map((after) => isWider(before, after))).toEqual(wider.map(() => true));
  const narrower = [
    before,
    { ...before, addresses: ['10.1.2.3', '10.128.0.0/9'] },
    { ...before, expires_on: '2026-12-01' },
  ];
  expect(narrower.map((after) => isWider(before, after))).toEqual(narrower.map(() => false));
  const anywhere = { ...before, addresses: [] };
  expect(isWider(anywhere, before)).toBe(false);
});

test('hides and protects a token of another account', async ({ db }) => {
  const [ani, budi] = [await tokenWith(db), await tokenWith(db)];
  await expect(ani.change({ scopes: ['media'] }, budi.accountId)).rejects.toMatchObject({
    code: 'not_found',
  });
  expect((await ani.change()).access).toEqual(ani.token.access);
});

test('applies a change to calls within a second', async ({ db }) => {
  const { change, key } = await tokenWith(db);
  const clock = { ms: 0 };
  const ring = openKeyRing({
    allAccountsSql: db.allAccountsSql,
    report: (error) => {
      throw error;
    },
    now: () => NOW,
    clockMs: () => clock.ms,
  });
  const before = (await ring.find(key))!;
  ring.check(before, '198.51.100.1');
  ring.allow(before, 'messages.send');

  await change({ addresses: '203.0.113.0/24', scopes: ['media'], expires_on: '2026-11-23' });
  clock.ms = 1_000;
  const after = (await ring.find(key))!;
  expect(() => ring.check(after, '198.51.100.1')).toThrow('address_not_allowed');
  expect(() => ring.check(after, '203.0.113.9')).not.toThrow();
  expect(() => ring.allow(after, 'messages.send')).toThrow('scope_missing');
  expect(after.expiresOn).toBe('2026-11-23');
});
