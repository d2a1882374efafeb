import { describe, expect } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { changePassword, prove } from '#contract/people.ts';
import { Refusal } from '#contract/refusals.ts';
import {
  GOOD_PASSWORD,
  OTHER_PASSWORD,
  accountsHouse,
  no,
  proofsLater,
  toldToWait,
} from '#tests/accounts-house.ts';
import { type TestDatabase, test } from '#tests/database.ts';
import { STALL_SECONDS } from '#tests/soon.ts';

const ANI = '6281234567890';
const HERS = 'her browser';
const right = { password: GOOD_PASSWORD };

async function ani(db: TestDatabase, device = HERS) {
  const house = await accountsHouse(db);
  const { token } = await house.customer(ANI, { device });
  const caller = await house.callerOf(token);
  const isProved = (from = device) => house.deps.sessions.isProved(caller.sessionId, from);
  return { ...house, token, caller, isProved };
}

describe('a proof', () => {
  test('is a sign-in, for five minutes of the database', async ({ db }) => {
    const { isProved } = await ani(db);
    expect(await isProved()).toBe(true);
    await proofsLater(db.house, 300 - STALL_SECONDS);
    expect(await isProved()).toBe(true);
    await proofsLater(db.house, STALL_SECONDS);
    expect(await isProved()).toBe(false);
  });

  test('is the password given once more', async ({ db }) => {
    const { perform, caller, isProved } = await ani(db);
    await proofsLater(db.house, 301);
    expect(await no(perform(prove, { password: 'salah' }, { caller }))).toEqual(
      new Refusal('password_wrong', {}),
    );
    expect(await isProved()).toBe(false);
    expect(await perform(prove, right, { caller })).toEqual({ seconds: 300 });
    expect(await isProved()).toBe(true);
  });

  test('counts in the browser it was given in, and in no other', async ({ db }) => {
    const { isProved } = await ani(db);
    for (const device of ['', 'another', `${HERS} `]) expect(await isProved(device)).toBe(false);
  });

  test('holds for a portal served elsewhere, which has no cookie', async ({ db }) => {
    const { perform, caller, isProved } = await ani(db, '');
    expect(await isProved()).toBe(true);
    await proofsLater(db.house, 301);
    await perform(prove, right, { caller, device: '' });
    expect(await isProved()).toBe(true);
  });

  test('is over with its session', async ({ db }) => {
    const { deps, caller, isProved } = await ani(db);
    await deps.sessions.end(caller.sessionId);
    expect(await isProved()).toBe(false);
  });

  test('binds a session that was not bound yet to the browser it is given in', async ({ db }) => {
    const { perform, caller, isProved } = await ani(db);
    await db.house`update sessions set device_hash = null`;
    await perform(prove, right, { caller, device: 'this one' });
    expect([await isProved('this one'), await isProved(HERS)]).toEqual([true, false]);
  });
});

describe('a token in another browser', () => {
  test('ends where the password is given, right or wrong, and changes nothing', async ({ db }) => {
    for (const password of [GOOD_PASSWORD, 'salah']) {
      await db.house`delete from user_phones`;
      const { perform, caller, deps, token } = await ani(db);
      const thief = { caller, device: 'a thief’s' };
      expect(await perform(checkToken, {}, thief)).toMatchObject({ phone: ANI });
      expect(await no(perform(prove, { password }, thief))).toEqual(
        new Refusal('not_signed_in', {}),
      );
      expect(await deps.sessions.find(token)).toBeUndefined();
    }
  });

  test('cannot change the password, although the old one is known', async ({ db }) => {
    const { perform, caller, signIn } = await ani(db);
    const change = { current: GOOD_PASSWORD, password: OTHER_PASSWORD };
    const asked = perform(changePassword, change, { caller, device: 'a thief’s' });
    expect(await no(asked)).toEqual(new Refusal('not_signed_in', {}));
    expect(await signIn(ANI)).toMatchObject({ user: { phone: ANI } });
  });
});

describe('guessing the password of a session', () => {
  test('five tries are free, then it waits, and strangers’ tries do not count', async ({ db }) => {
    const { perform, caller, signIn } = await ani(db);
    for (let times = 0; times < 6; times++) {
      await no(signIn(ANI, 'salah', { device: 'a stranger', ip: '198.51.100.9' }));
    }
    const guess = () => no(perform(prove, { password: 'salah' }, { caller }));
    const answers = await Promise.all(Array.from({ length: 12 }, guess));
    const looked = answers.filter(
      (answer) => answer instanceof Refusal && answer.code === 'password_wrong',
    );
    expect(looked).toHaveLength(5);
    expect(await no(perform(prove, right, { caller }))).toEqual(toldToWait(15));
    await db.house`
      update limit_counters set window_start = window_start - interval '15 s'
      where scope = 'login_wait'`;
    expect(await perform(prove, right, { caller })).toEqual({ seconds: 300 });
  });
});
