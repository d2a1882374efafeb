import { argon2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { admitted, hashPassword, passwordFits } from './passwords.ts';

const ARGON2ID = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

test('a password matches its own hash exactly', async () => {
  const stored = await hashPassword('Kuda besi 1');
  expect(stored).toMatch(ARGON2ID);
  expect(await passwordFits('Kuda besi 1', stored)).toBe(true);
  for (const other of ['kuda besi 1', ' Kuda besi 1', 'Kuda besi 1 ', 'Kuda besi']) {
    expect(await passwordFits(other, stored)).toBe(false);
  }
});

test('does not truncate long passwords', async () => {
  const stored = await hashPassword('a'.repeat(255) + 'b');
  expect(await passwordFits('a'.repeat(255) + 'c', stored)).toBe(false);
});

test('hashes the same password differently each time', async () => {
  expect(await hashPassword('Kuda besi 1')).not.toBe(await hashPassword('Kuda besi 1'));
});

test('matches no password without a hash', async () => {
  expect(await passwordFits('Kuda besi 1', undefined)).toBe(false);
});

test('queues a limited number of calls, and refuses the rest at once', async () => {
  const stored = await hashPassword('Kuda besi 1');
  const asked = Array.from({ length: 70 }, () => passwordFits('Kuda besi 1', stored));
  const answers = await Promise.allSettled(asked);
  const away = answers.filter((answer) => answer.status === 'rejected');
  expect(away).toHaveLength(70 - 54);
  expect(away[0]?.reason).toEqual(new Refusal('too_many_requests', { seconds: 2 }));
  expect(await passwordFits('Kuda besi 1', stored)).toBe(true);
});

test('accepts a hash of another cost', async () => {
  const nonce = Buffer.from('salt-of-16-bytes');
  const cost = { memory: 64, passes: 3, parallelism: 2 };
  const made = argon2Sync('argon2id', { message: 'Kuda besi 1', nonce, tagLength: 24, ...cost });
  const stored = `$argon2id$v=19$m=64,t=3,p=2$${nonce.toString('base64').replaceAll('=', '')}$${made.toString('base64')}`;
  expect(await passwordFits('Kuda besi 1', stored)).toBe(true);
  expect(await passwordFits('Kuda besi 2', stored)).toBe(false);
});

test('an unreadable hash is an error, not a wrong password', async () => {
  const stored = await hashPassword('Kuda besi 1');
  for (const other of [
    ` ${stored}`,
    `${stored}$`,
    stored.replace('argon2id', 'argon2i'),
    stored.replace('v=19', 'v=16'),
    stored.replace('t=2,', ''),
    '',
  ]) {
    await expect(passwordFits('Kuda besi 1', other), other).rejects.toThrow('PHC');
  }
});

test('refuses excess anonymous calls before any work', async () => {
  const busy = new Refusal('too_many_requests', { seconds: 2 });
  const gate = Promise.withResolvers<void>();
  const inside = Array.from({ length: 54 }, () => admitted(() => gate.promise));
  await expect(admitted(async () => 'in')).rejects.toEqual(busy);
  gate.reject(new Error('down'));
  const ends = await Promise.allSettled(inside);
  expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
  const again = Array.from({ length: 54 }, () => admitted(async () => 'in'));
  expect(new Set(await Promise.all(again))).toEqual(new Set(['in']));
});
