import { describe, expect } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import {
  hmac,
  countSealedSecrets,
  installationSecrets,
  readSecrets,
  refuseOtherKey,
  reseal,
  sameBytes,
  secretsFrom,
  storedSecret,
} from './secrets.ts';

const root = new Uint8Array(32).fill(7);

test('nodes that start concurrently share the same secrets', async ({ sql }) => {
  const all = await Promise.all([1, 2, 3, 4].map(() => readSecrets(sql)));
  const keys = new Set(all.map((secrets) => secrets.key('pepper').toString('hex')));
  expect(keys.size).toBe(1);
  expect(await sql`select name from installation_secrets order by name`).toEqual([
    { name: 'hashing keys' },
    { name: 'root' },
  ]);
});

test('another start reads the secrets of the first', async ({ sql }) => {
  const sealed = (await readSecrets(sql)).seal('halo', 'note 1');
  expect((await readSecrets(sql)).open(sealed, 'note 1')?.toString()).toBe('halo');
});

test('a copy of the database decrypts nothing without SECRET_KEY', () => {
  const sealed = secretsFrom(root, { SECRET_KEY: 'a key of the operator' }).seal('halo', 'note 1');
  expect(secretsFrom(root).open(sealed, 'note 1')).toBeUndefined();
  expect(secretsFrom(root, { SECRET_KEY: 'another key' }).open(sealed, 'note 1')).toBeUndefined();
});

test('a node with another SECRET_KEY does not start', async ({ sql }) => {
  const [first, other] = [
    await readSecrets(sql, { SECRET_KEY: 'one' }),
    await readSecrets(sql, { SECRET_KEY: 'another' }),
  ];
  await expect(refuseOtherKey(sql, other)).rejects.toThrow(/SECRET_KEY is another/);
  await storedSecret(sql, first, { name: 'x', make: () => 'y' });
  await refuseOtherKey(sql, first);
  await expect(refuseOtherKey(sql, other)).rejects.toThrow(/SECRET_KEY is another/);
  // Values that a refused node with another key has left must not lock the others out.
  await storedSecret(sql, other, { name: 'z', make: () => 'y' });
  await refuseOtherKey(sql, first);
});

test('every purpose has a key of its own', () => {
  const secrets = secretsFrom(root);
  const keys = (['pepper', 'links', 'captcha', 'captcha-answer'] as const).map(secrets.key);
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(4);
});

test('a sealed value opens only in its own place and unchanged', () => {
  const secrets = secretsFrom(root);
  const sealed = secrets.seal('halo', 'note 1');
  expect(secrets.open(sealed, 'note 1')?.toString()).toBe('halo');
  expect(secrets.open(sealed, 'note 2')).toBeUndefined();
  for (let place = 0; place < sealed.length; place++) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8((changed[place] ?? 0) ^ 1, place);
    expect(secrets.open(changed, 'note 1')).toBeUndefined();
  }
  expect(secrets.open(sealed.subarray(0, 20), 'note 1')).toBeUndefined();
  expect(secrets.open(new Uint8Array(), 'note 1')).toBeUndefined();
});

test('seals the same text differently each time', () => {
  const secrets = secretsFrom(root);
  expect(secrets.seal('halo', 'x').equals(secrets.seal('halo', 'x'))).toBe(false);
});

test('the parts of an HMAC are delimited', () => {
  expect(hmac(root, 'ab', 'c').equals(hmac(root, 'a', 'bc'))).toBe(false);
  expect(hmac(root, 'ab', 'c').equals(hmac(root, 'ab', 'c'))).toBe(true);
});

test('values of different lengths differ', () => {
  expect(sameBytes(Buffer.from('ab'), Buffer.from('abc'))).toBe(false);
  expect(sameBytes(Buffer.from('abc'), Buffer.from('abd'))).toBe(false);
  expect(sameBytes(Buffer.from('abc'), Buffer.from('abc'))).toBe(true);
});

describe('a rotation of SECRET_KEY', () => {
  const former = { SECRET_KEY: 'the former key' };
  const rotating = { SECRET_KEY: 'the next key', SECRET_KEY_SECOND: 'the former key' };
  const next = { SECRET_KEY: 'the next key' };

  test('opens with both keys, and seals with the first', () => {
    const old = secretsFrom(root, former).seal('halo', 'note 1');
    const both = secretsFrom(root, rotating);
    expect(both.open(old, 'note 1')?.toString()).toBe('halo');
    expect([both.isOutdated(old), both.open(old, 'note 2')]).toEqual([true, undefined]);
    const sealed = both.seal('halo', 'note 1');
    expect(secretsFrom(root, next).open(sealed, 'note 1')?.toString()).toBe('halo');
    expect(secretsFrom(root, former).open(sealed, 'note 1')).toBeUndefined();
    expect(both.isOutdated(sealed)).toBe(false);
  });

  test('supports nodes with the former and with the next key at the same time', () => {
    const [before, after] = [
      secretsFrom(root, { SECRET_KEY: 'the former key', SECRET_KEY_SECOND: 'the next key' }),
      secretsFrom(root, rotating),
    ];
    expect(before.open(after.seal('halo', 'x'), 'x')?.toString()).toBe('halo');
    expect(after.open(before.seal('halo', 'x'), 'x')?.toString()).toBe('halo');
  });

  test('ends once everything is resealed, and keeps the keys of stored hashes', async ({ sql }) => {
    const before = await readSecrets(sql, former);
    await storedSecret(sql, before, { name: 'x', make: () => 'y' });
    const during = await readSecrets(sql, rotating);
    await refuseOtherKey(sql, during);
    expect(await countSealedSecrets(sql, rotating)).toEqual({ sealed: 2, opened: 2, outdated: 2 });
    const done = await reseal(sql, during, [installationSecrets]);
    expect(done).toEqual({ resealed: 2, closed: 0 });
    expect(await reseal(sql, during, [installationSecrets])).toEqual({ resealed: 0, closed: 0 });
    const after = await readSecrets(sql, next);
    await refuseOtherKey(sql, after);
    expect(await storedSecret(sql, after, { name: 'x', make: () => 'z' })).toBe('y');
    for (const purpose of ['pepper', 'phones', 'webhooks'] as const) {
      expect(after.key(purpose).equals(before.key(purpose))).toBe(true);
      expect(during.key(purpose).equals(before.key(purpose))).toBe(true);
    }
    expect(after.key('links').equals(before.key('links'))).toBe(false);
    await expect(refuseOtherKey(sql, await readSecrets(sql, former))).rejects.toThrow(/SECRET_KEY/);
  });

  test('starts from `none` if the installation had no key', async ({ sql }) => {
    const before = await readSecrets(sql);
    const during = await readSecrets(sql, { ...next, SECRET_KEY_SECOND: 'none' });
    expect(await reseal(sql, during, [installationSecrets])).toMatchObject({ resealed: 1 });
    const after = await readSecrets(sql, next);
    expect(after.key('pepper').equals(before.key('pepper'))).toBe(true);
  });

  test('counts values that neither key opens, and keeps them', async ({ sql }) => {
    const stranger = secretsFrom(root, { SECRET_KEY: 'a third key' });
    const during = await readSecrets(sql, rotating);
    await storedSecret(sql, stranger, { name: 'x', make: () => 'y' });
    expect(await reseal(sql, during, [installationSecrets])).toEqual({ resealed: 0, closed: 1 });
    expect(await storedSecret(sql, stranger, { name: 'x', make: () => 'z' })).toBe('y');
  });
});
