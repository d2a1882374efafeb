import { describe, expect } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { changePassword, reauthUser } from '#contract/people.ts';
import type { RecentPassword } from '#contract/base/act.ts';
import { isRecent as isRecentProof } from '#server/infra/acts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  GOOD_PASSWORD,
  OTHER_PASSWORD,
  accountsApp,
  ageLimits,
  rejectionOf,
  ageReauth,
  refusedToWait,
} from '#tests/support/people/accounts-app.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { STALL_SECONDS } from '#tests/support/wait-for.ts';
import { openSessions } from './sessions.ts';
import { agedBy } from '#tests/support/database/changes.ts';
import { changeSessions } from '#tests/support/people/people.ts';

const ANI = '6281234567890';
const HERS = 'her browser';
const right = { password: GOOD_PASSWORD };
const RENEWED = { seconds: 300, token: expect.stringMatching(/^kbs_/) };

async function ani(db: TestDatabase, device = HERS) {
  const app = await accountsApp(db);
  const { token } = await app.customer(ANI, { device });
  const caller = await app.callerOf(token);
  const reauth = (from = device) => app.deps.sessions.reauthOf(caller.sessionId, from);
  const isRecent = async (from = device, kind: RecentPassword = 'to_take') =>
    isRecentProof(await reauth(from), kind);
  return { ...app, token, caller, reauth, isRecent };
}

describe('a reauthentication', () => {
  test('is implied by a sign-in, for five minutes of the database, or fifteen to make something', async ({
    db,
  }) => {
    const { isRecent } = await ani(db);
    const makes = () => isRecent(HERS, 'to_make');
    expect(await isRecent()).toBe(true);
    await ageReauth(db.allAccountsSql, 300 - STALL_SECONDS);
    expect(await isRecent()).toBe(true);
    await ageReauth(db.allAccountsSql, STALL_SECONDS);
    expect([await isRecent(), await makes()]).toEqual([false, true]);
    await ageReauth(db.allAccountsSql, 600 - STALL_SECONDS);
    expect(await makes()).toBe(true);
    await ageReauth(db.allAccountsSql, STALL_SECONDS);
    expect(await makes()).toBe(false);
  });

  test('is possible by giving the password again', async ({ db }) => {
    const { perform, caller, isRecent } = await ani(db);
    await ageReauth(db.allAccountsSql, 301);
    expect(await rejectionOf(perform(reauthUser, { password: 'salah' }, { caller }))).toEqual(
      new Refusal('password_wrong', {}),
    );
    expect(await isRecent()).toBe(false);
    expect(await perform(reauthUser, right, { caller })).toEqual(RENEWED);
    expect(await isRecent()).toBe(true);
  });

  test("replaces the session's token, and the old one ends after a minute", async ({ db }) => {
    const { perform, caller, token, deps } = await ani(db);
    const find = (one = '') => openSessions(db.allAccountsSql).find(one);
    const { token: renewed } = await perform(reauthUser, right, { caller });
    expect(await find(renewed)).toEqual(caller);
    expect(await find(token)).toEqual(caller);
    await changeSessions(db.allAccountsSql, {}, { previousUntil: agedBy('60 s') });
    expect(await find(token)).toBeUndefined();
    expect(await deps.sessions.find(renewed ?? '')).toEqual(caller);
    const change = { current: GOOD_PASSWORD, password: OTHER_PASSWORD };
    const { token: changed } = await perform(changePassword, change, { caller });
    await changeSessions(db.allAccountsSql, {}, { previousUntil: agedBy('60 s') });
    expect([await find(renewed), await find(changed)]).toEqual([undefined, caller]);
    expect(await db.allAccountsSql`select from sessions where revoked_at is null`).toHaveLength(1);
  });

  test('counts only in the browser it was given in', async ({ db }) => {
    const { isRecent } = await ani(db);
    for (const device of ['', 'another', `${HERS} `]) expect(await isRecent(device)).toBe(false);
  });

  test('works for a portal on another origin, which has no cookie', async ({ db }) => {
    const { perform, caller, isRecent } = await ani(db, '');
    expect(await isRecent()).toBe(true);
    await ageReauth(db.allAccountsSql, 301);
    await perform(reauthUser, right, { caller, device: '' });
    expect(await isRecent()).toBe(true);
  });

  test('ends with its session', async ({ db }) => {
    const { deps, caller, reauth } = await ani(db);
    await deps.sessions.end(caller.sessionId);
    expect(await rejectionOf(reauth())).toEqual(new Refusal('not_signed_in', {}));
  });
});

const THIEFS = 'another browser';
const NEVER_HERE = { inOwnBrowser: false, secondsAgo: Infinity };
const JUST_NOW = expect.closeTo(0, -2);

describe('a token in another browser', () => {
  test('allows five minutes of changes there after the password was given', async ({ db }) => {
    const { perform, caller, reauth } = await ani(db);
    const thief = { caller, device: THIEFS };
    expect(await perform(checkToken, {}, thief)).toMatchObject({ phone: ANI });
    expect(await reauth(THIEFS)).toEqual(NEVER_HERE);
    expect(await perform(reauthUser, right, thief)).toEqual({ seconds: 300 });
    expect(await reauth(THIEFS)).toEqual({ inOwnBrowser: false, secondsAgo: JUST_NOW });
    expect(await reauth('a third browser')).toEqual(NEVER_HERE);
    await ageReauth(db.allAccountsSql, 300);
    expect((await reauth(THIEFS)).secondsAgo).toBeGreaterThanOrEqual(300);
  });

  test('does not open the session’s own browser, nor move the session', async ({ db }) => {
    const { perform, caller, reauth } = await ani(db);
    await ageReauth(db.allAccountsSql, 301);
    await perform(reauthUser, right, { caller, device: THIEFS });
    expect((await reauth()).secondsAgo).toBeGreaterThan(300);
  });

  test('works only in the one of two such browsers that gave the password last', async ({ db }) => {
    const { perform, caller, isRecent } = await ani(db);
    for (const device of [THIEFS, 'a third browser'])
      await perform(reauthUser, right, { caller, device });
    expect([await isRecent(THIEFS), await isRecent('a third browser')]).toEqual([false, true]);
  });

  test('notifies its owner when the password is given, once per browser', async ({ db }) => {
    const { perform, caller, sent } = await ani(db);
    const before = sent.length;
    for (let times = 0; times < 2; times++) {
      await perform(reauthUser, right, { caller, device: THIEFS, agent: 'Firefox' });
    }
    await perform(reauthUser, right, { caller });
    const told = sent.slice(before);
    expect(told).toMatchObject([{ phone: ANI, text: expect.stringContaining('browser baru') }]);
  });

  test('of a portal on another origin belongs to no browser, with any cookie', async ({ db }) => {
    const { perform, caller, reauth } = await ani(db, '');
    expect(await reauth('')).toEqual({ inOwnBrowser: true, secondsAgo: JUST_NOW });
    expect(await reauth(THIEFS)).toEqual(NEVER_HERE);
    await perform(reauthUser, right, { caller, device: THIEFS });
    expect(await reauth(THIEFS)).toEqual({ inOwnBrowser: false, secondsAgo: JUST_NOW });
  });

  test('cannot store a reauthentication without a cookie', async ({ db }) => {
    const { perform, caller } = await ani(db);
    expect(await rejectionOf(perform(reauthUser, right, { caller, device: '' }))).toEqual(
      new Refusal('sign_in_needed', {}),
    );
  });

  test('cannot change the password even with the old one', async ({ db }) => {
    const { perform, caller, signIn } = await ani(db);
    const thief = { caller, device: THIEFS };
    await perform(reauthUser, right, thief);
    const change = { current: GOOD_PASSWORD, password: OTHER_PASSWORD };
    const answer = perform(changePassword, change, thief);
    expect(await rejectionOf(answer)).toEqual(new Refusal('sign_in_needed', {}));
    expect(await signIn(ANI)).toMatchObject({ user: { phone: ANI } });
  });

  test('has its own count of guesses, so that its owner does not have to wait', async ({ db }) => {
    const { perform, caller } = await ani(db);
    const guess = () =>
      rejectionOf(
        perform(reauthUser, { password: 'salah' }, { caller, device: crypto.randomUUID() }),
      );
    for (let times = 0; times < 5; times++) {
      expect(await guess()).toEqual(new Refusal('password_wrong', {}));
    }
    expect(await guess()).toEqual(new Refusal('too_many_requests', { seconds: 15 }));
    expect(await perform(reauthUser, right, { caller })).toEqual(RENEWED);
  });
});

describe('guessing the password of a session', () => {
  test('allows five free tries, then waits, and does not count strangers’ tries', async ({
    db,
  }) => {
    const { perform, caller, signIn } = await ani(db);
    for (let times = 0; times < 6; times++) {
      await rejectionOf(signIn(ANI, 'salah', { device: 'a stranger', ip: '198.51.100.9' }));
    }
    const guess = () => rejectionOf(perform(reauthUser, { password: 'salah' }, { caller }));
    const answers = await Promise.all(Array.from({ length: 12 }, guess));
    const looked = answers.filter(
      (answer) => answer instanceof Refusal && answer.code === 'password_wrong',
    );
    expect(looked).toHaveLength(5);
    expect(await rejectionOf(perform(reauthUser, right, { caller }))).toEqual(refusedToWait(15));
    await ageLimits(db.allAccountsSql, 15, 'login_wait');
    expect(await perform(reauthUser, right, { caller })).toEqual(RENEWED);
  });
});
