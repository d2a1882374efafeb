import { describe, expect } from 'vitest';
import { type SignedIn, checkToken, loginUser, logoutUser } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Person } from '#server/infra/acts.ts';
import {
  type AccountsApp,
  GOOD_PASSWORD,
  accountsApp,
  ageLimits,
  refusedToWait,
} from '#tests/support/people/accounts-app.ts';
import { test } from '#tests/support/database/database.ts';
import { derivations } from '#tests/support/quick-passwords.ts';
import { waitAfterTries } from './captcha.ts';
import { changeAccounts } from '#tests/support/people/people.ts';

const ANI = '6281234567890';
const NOBODY = '6281398765432';
const HOME = { ip: '203.0.113.7' };
const ELSEWHERE = { ip: '198.51.100.9' };

async function login(
  app: AccountsApp,
  phone: string,
  password: string,
  asker: { ip?: string; device?: string; caller?: Person } = ELSEWHERE,
): Promise<SignedIn> {
  const captcha = await app.solved('user_login', asker);
  const answer = await app.perform(loginUser, { phone, password, captcha }, asker);
  if (!('token' in answer)) throw new Error('a code is asked for');
  return answer;
}

const no = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was refused',
    (error: unknown) => error,
  );

describe('signing in', () => {
  test('opens a session that the next call finds', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const { token, user } = await login(app, '0812-3456-7890', GOOD_PASSWORD);
    expect(token).toMatch(/^kbs_[A-Za-z0-9_-]{43}$/);
    expect(user).toMatchObject({ phone: ANI, name: 'Toko Ani', timezone: 'Asia/Jakarta' });
    const caller = await app.deps.sessions.find(token);
    if (!caller) throw new Error('no session');
    expect(await app.perform(checkToken, {}, { caller })).toEqual(user);
  });

  test('gives a wrong password and an unknown number the same response', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const wrong = await no(login(app, ANI, 'salah sama sekali'));
    expect(wrong).toEqual(new Refusal('credentials_wrong', {}));
    expect(await no(login(app, NOBODY, 'salah sama sekali'))).toEqual(wrong);
  });

  test('takes the same work for a wrong password and an unknown number', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const work = async (phone: string) => {
      const captcha = await app.solved('user_login', ELSEWHERE);
      derivations.length = 0;
      await no(
        app.perform(loginUser, { phone, password: 'salah sama sekali', captcha }, ELSEWHERE),
      );
      return [...derivations];
    };
    const known = await work(ANI);
    expect(known).toHaveLength(1);
    expect(await work(NOBODY)).toEqual(known);
  });

  test('tells a suspended user the reason, but only with the correct password', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    await changeAccounts(db.allAccountsSql, {}, { status: 'suspended' });
    await db.allAccountsSql`
      insert into account_suspensions (account_id, suspension_id, becomes, reason, operator_id, at)
      select account_id, gen_random_uuid(), 'suspended', 'Ada laporan spam', account_id, now()
      from accounts`;
    expect(await no(login(app, ANI, 'salah sama sekali'))).toEqual(
      new Refusal('credentials_wrong', {}),
    );
    expect(await login(app, ANI, GOOD_PASSWORD)).toMatchObject({
      user: { suspension: { reason: 'Ada laporan spam' } },
    });
  });

  test('treats a closed account like an unknown number', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    await changeAccounts(db.allAccountsSql, {}, { status: 'closed' });
    expect(await no(login(app, ANI, GOOD_PASSWORD))).toEqual(new Refusal('credentials_wrong', {}));
  });

  test('ends the previous session of this browser', async ({ db }) => {
    const app = await accountsApp(db);
    const before = await app.customer(ANI, HOME);
    const caller = await app.deps.sessions.find(before.token);
    if (!caller) throw new Error('no session');
    const after = await login(app, ANI, GOOD_PASSWORD, { ...HOME, caller });
    expect(await app.deps.sessions.find(before.token)).toBeUndefined();
    expect(await app.deps.sessions.find(after.token)).toBeDefined();
  });

  test('checks no password without a solved captcha', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const answer = app.perform(loginUser, { phone: ANI, password: GOOD_PASSWORD, captcha: 'x' });
    expect(await no(answer)).toEqual(new Refusal('captcha_failed', {}));
  });
});

describe('guessing', () => {
  test('delays after five wrong passwords, also the correct one, and the wait ends', async ({
    db,
  }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    for (let times = 0; times < 5; times++) await no(login(app, ANI, 'salah sama sekali'));
    expect(await no(login(app, ANI, GOOD_PASSWORD))).toEqual(refusedToWait(15));
    await ageLimits(db.allAccountsSql, 15, 'login');
    expect(await login(app, ANI, GOOD_PASSWORD)).toMatchObject({ user: { phone: ANI } });
  });

  test('doubles the wait with each further one, up to five minutes', async ({ db }) => {
    expect([4, 5, 6, 7, 8, 9, 10, 50].map(waitAfterTries)).toEqual([
      0, 15, 30, 60, 120, 240, 300, 300,
    ]);
    const app = await accountsApp(db);
    for (let times = 0; times < 5; times++) await no(login(app, NOBODY, 'salah sama sekali'));
    await ageLimits(db.allAccountsSql, 15, 'login');
    await no(login(app, NOBODY, 'salah sama sekali'));
    expect(await no(login(app, NOBODY, 'salah'))).toEqual(refusedToWait(30));
  });

  test('does not lock a user out of where they signed in before', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI, HOME);
    const stranger = { ...ELSEWHERE, device: 'a stranger’s' };
    for (let times = 0; times < 6; times++) {
      await no(login(app, ANI, 'salah sama sekali', stranger));
    }
    expect(await no(login(app, ANI, GOOD_PASSWORD, stranger))).toMatchObject({
      code: 'too_many_requests',
    });
    const wiped = { ...HOME, device: 'her browser, its cookies gone' };
    expect(await app.signIn(ANI, GOOD_PASSWORD, wiped)).toMatchObject({ user: { phone: ANI } });
    expect(await login(app, ANI, GOOD_PASSWORD, HOME)).toMatchObject({ user: { phone: ANI } });
  });

  test('gains nothing by being parallel', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const guesses = Array.from({ length: 20 }, () => no(login(app, ANI, 'salah sama sekali')));
    const looked = (await Promise.all(guesses)).filter(
      (answer) => answer instanceof Refusal && answer.code === 'credentials_wrong',
    );
    expect(looked).toHaveLength(5);
  });

  test('stops the address of one guess at each of many numbers, and no other', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI, HOME);
    const answers: unknown[] = [];
    for (let n = 0; n < 35; n++) {
      answers.push(await no(login(app, `62813000000${10 + n}`, 'sayangku123')));
    }
    const passed = answers.filter(
      (answer) => answer instanceof Refusal && answer.code === 'credentials_wrong',
    );
    expect(passed).toHaveLength(30);
    expect(await login(app, ANI, GOOD_PASSWORD, HOME)).toMatchObject({ user: { phone: ANI } });
  });

  test('resets the tries after the correct password', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI, HOME);
    for (let rounds = 0; rounds < 2; rounds++) {
      for (let times = 0; times < 4; times++) await no(login(app, ANI, 'salah', HOME));
      await login(app, ANI, GOOD_PASSWORD, HOME);
    }
  });

  test('leaves no phone number readable in the counters', async ({ db }) => {
    const app = await accountsApp(db);
    await app.register(ANI);
    await no(login(app, ANI, 'salah sama sekali'));
    const counters = JSON.stringify(await db.allAccountsSql`select * from limit_counters`);
    expect(counters).not.toContain('81234567');
  });
});

test('signing out ends this session and leaves the others', async ({ db }) => {
  const app = await accountsApp(db);
  const first = await app.customer(ANI);
  const second = await login(app, ANI, GOOD_PASSWORD);
  const caller = await app.deps.sessions.find(first.token);
  if (!caller) throw new Error('no session');
  await app.perform(logoutUser, {}, { caller });
  expect(await app.deps.sessions.find(first.token)).toBeUndefined();
  expect(await app.deps.sessions.find(second.token)).toBeDefined();
});

test('requires a deleted user to sign in', async ({ db }) => {
  const app = await accountsApp(db);
  const caller: Person = {
    kind: 'person',
    accountId: crypto.randomUUID(),
    userId: crypto.randomUUID(),
    sessionId: crypto.randomUUID(),
    role: 'customer',
    operatorRoles: [],
  };
  expect(await no(app.perform(checkToken, {}, { caller }))).toEqual(
    new Refusal('not_signed_in', {}),
  );
});
