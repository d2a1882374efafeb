import { expect } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import {
  hmac,
  readSecrets,
  refuseOtherKey,
  sameBytes,
  secretsFrom,
  storedSecret,
} from './secrets.ts';

const root = new Uint8Array(32).fill(7);

test('nodes that start at once share the same secrets', async ({ sql }) => {
  const all = await Promise.all([1, 2, 3, 4].map(() => readSecrets(sql)));
  const keys = new Set(all.map((secrets) => secrets.key('pepper').toString('hex')));
  expect(keys.size).toBe(1);
  expect(await sql`select count(*) as n from installation_secrets`).toEqual([{ n: 1 }]);
});

test('another start reads the secrets of the first', async ({ sql }) => {
  const sealed = (await readSecrets(sql)).seal('halo', 'note 1');
  expect((await readSecrets(sql)).open(sealed, 'note 1')?.toString()).toBe('halo');
});

test('a copy of the database opens nothing without SECRET_KEY', () => {
  const sealed = secretsFrom(root, 'a key of the operator').seal('halo', 'note 1');
  expect(secretsFrom(root).open(sealed, 'note 1')).toBeUndefined();
  expect(secretsFrom(root, 'another key').open(sealed, 'note 1')).toBeUndefined();
});

test('a node with another SECRET_KEY does not start, unless nothing is sealed', async ({ sql }) => {
  const [first, other] = [await readSecrets(sql, 'one'), await readSecrets(sql, 'another')];
  await refuseOtherKey(sql, other);
  await storedSecret(sql, first, { name: 'x', make: () => 'y' });
  await refuseOtherKey(sql, first);
  await expect(refuseOtherKey(sql, other)).rejects.toThrow(/SECRET_KEY is another/);
  // What a node with another key left before it was refused keeps nobody out.
  await storedSecret(sql, other, { name: 'z', make: () => 'y' });
  await refuseOtherKey(sql, first);
});

test('every purpose has a key of its own', () => {
  const secrets = secretsFrom(root);
  const keys = (['pepper', 'links', 'captcha', 'captcha-answer'] as const).map(secrets.key);
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(4);
});

test('what was sealed opens only where it was put, and only unchanged', () => {
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

test('the same text is never sealed alike twice', () => {
  const secrets = secretsFrom(root);
  expect(secrets.seal('halo', 'x').equals(secrets.seal('halo', 'x'))).toBe(false);
});

test('parts of an hmac do not run into each other', () => {
  expect(hmac(root, 'ab', 'c').equals(hmac(root, 'a', 'bc'))).toBe(false);
  expect(hmac(root, 'ab', 'c').equals(hmac(root, 'ab', 'c'))).toBe(true);
});

test('values of different lengths are not the same', () => {
  expect(sameBytes(Buffer.from('ab'), Buffer.from('abc'))).toBe(false);
  expect(sameBytes(Buffer.from('abc'), Buffer.from('abd'))).toBe(false);
  expect(sameBytes(Buffer.from('abc'), Buffer.from('abc'))).toBe(true);
});
