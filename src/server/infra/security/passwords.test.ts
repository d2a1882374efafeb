import { expect, test } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { hashPassword, passwordFits } from './passwords.ts';

const ARGON2ID = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

test('a password fits what it was stored as, to the letter', async () => {
  const stored = await hashPassword('Kuda besi 1');
  expect(stored).toMatch(ARGON2ID);
  expect(await passwordFits('Kuda besi 1', stored)).toBe(true);
  for (const other of ['kuda besi 1', ' Kuda besi 1', 'Kuda besi 1 ', 'Kuda besi']) {
    expect(await passwordFits(other, stored)).toBe(false);
  }
});

test('long passwords are not cut', async () => {
  const stored = await hashPassword('a'.repeat(255) + 'b');
  expect(await passwordFits('a'.repeat(255) + 'c', stored)).toBe(false);
});

test('the same password is stored differently each time', async () => {
  expect(await hashPassword('Kuda besi 1')).not.toBe(await hashPassword('Kuda besi 1'));
});

test('nobody signs in where there is no password', async () => {
  expect(await passwordFits('Kuda besi 1', undefined)).toBe(false);
});

test('many wait in a short queue, and the rest are refused at once', async () => {
  const stored = await hashPassword('Kuda besi 1');
  const asked = Array.from({ length: 70 }, () => passwordFits('Kuda besi 1', stored));
  const answers = await Promise.allSettled(asked);
  const away = answers.filter((answer) => answer.status === 'rejected');
  expect(away).toHaveLength(70 - 54);
  expect(away[0]?.reason).toEqual(new Refusal('too_many_requests', { seconds: 2 }));
  expect(await passwordFits('Kuda besi 1', stored)).toBe(true);
});
