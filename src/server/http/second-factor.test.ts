import { describe, expect } from 'vitest';
import { acts } from '#contract/acts.ts';
import { BUDI, operatorOf } from '#tests/support/people/operators.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type RunningApp, test } from '#tests/support/app/running-app.ts';
import { browserOf, changeSessions, makeSession } from '#tests/support/people/people.ts';
import { agedBy } from '#tests/support/database/changes.ts';

const required = { env: { OPERATOR_SECOND_FACTOR: 'required' } };
const THIEFS = { headers: { cookie: `kabari-device=${'b'.repeat(43)}` } };
const withSession = acts.filter(({ by }) => by === 'operator' || by === 'anyone_signed_in');
const without = withSession.filter(({ withoutSecondFactor }) => withoutSecondFactor);
const names = (some: readonly { name: string }[]) => some.map(({ name }) => name).toSorted();

async function operator({ allAccountsSql }: TestDatabase, { factor = false } = {}) {
  await operatorOf(allAccountsSql);
  const [budi] = await allAccountsSql<{ accountId: string; userId: string }[]>`
    select account_id as "accountId", user_id as "userId" from users where phone = ${BUDI}`;
  const secondFactorAt = factor ? new Date() : null;
  return (await makeSession(allAccountsSql, budi!, { secondFactorAt })).token;
}

const says = async ({ ask }: RunningApp, name: string, token: string, from = {}) => {
  const key = crypto.randomUUID();
  const { status, body } = await ask(name, { token, key }, from);
  return [status, body.error?.type ?? 'ok'];
};

describe('a required second factor', () => {
  test('an operator without one may only set it up and sign out', async ({ db, openApp }) => {
    expect(names(without)).toEqual([
      'second_factor_ask',
      'second_factor_confirm',
      'second_factor_get',
      'second_factor_passkey_add',
      'second_factor_passkey_begin',
      'second_factor_totp_add',
      'second_factor_totp_begin',
      'user_check_token',
      'user_logout',
      'user_reauth',
    ]);
    const token = await operator(db);
    const others = withSession.filter(({ withoutSecondFactor }) => !withoutSecondFactor);
    // Each process counts calls for itself, and takes fewer than there are acts.
    for (let first = 0; first < others.length; first += 50) {
      const app = await openApp(required);
      for (const { name } of others.slice(first, first + 50)) {
        expect(await says(app, name, token), name).toEqual([403, 'second_factor_needed']);
      }
    }
    const next = await openApp(required);
    const { body } = await next.ask('user_check_token', { token });
    expect(body.data).toMatchObject({ needs_second_factor: true });
    expect(await says(next, 'second_factor_get', token)).toEqual([200, 'ok']);
    expect(await says(next, 'second_factor_totp_begin', token)).toEqual([200, 'ok']);
    const upload = await next.app.inject({
      method: 'POST',
      url: '/api/uploads',
      headers: { authorization: `Bearer ${token}`, 'sec-fetch-site': 'same-origin' },
    });
    expect(upload.statusCode).toBe(401);
  });

  test('a session that gave it works in its own browser only', async ({ db, openApp }) => {
    const app = await openApp(required);
    const token = await operator(db, { factor: true });
    expect((await app.ask('user_check_token', { token })).body.data).not.toHaveProperty(
      'needs_second_factor',
    );
    expect(await says(app, 'user_session_list', token)).toEqual([200, 'ok']);
    expect(await says(app, 'second_factor_get', token)).toEqual([200, 'ok']);
    for (const name of ['user_session_list', 'operator_customer_list', 'second_factor_remove']) {
      expect(await says(app, name, token, THIEFS), name).toEqual([403, 'sign_in_needed']);
    }
    const tried = await db.allAccountsSql`
      select act, outcome from audit_log where outcome <> 'ok'`;
    expect(tried).toEqual([{ act: 'second_factor_remove', outcome: 'sign_in_needed' }]);
    const upload = async (cookie: string) => {
      const url = '/api/uploads?load=fil_00000000000000000000000000';
      const headers = { authorization: `Bearer ${token}`, 'sec-fetch-site': 'same-origin', cookie };
      return (await app.app.inject({ url, headers })).statusCode;
    };
    expect(await upload(`kabari-device=${browserOf(token)}`)).toBe(404);
    expect([await upload(THIEFS.headers.cookie), await upload('')]).toEqual([401, 401]);
  });

  test('a stolen session cannot set one up: not elsewhere, and not five minutes after the password', async ({
    db,
    openApp,
  }) => {
    const app = await openApp(required);
    const token = await operator(db);
    const setsUp = withSession.filter(
      (one) => one.name.startsWith('second_factor_') && one.requiresRecentPassword,
    );
    expect(setsUp).toHaveLength(6);
    const begin = setsUp.filter(({ withoutSecondFactor }) => withoutSecondFactor);
    for (const { name } of begin) {
      expect(await says(app, name, token, THIEFS), name).toEqual([403, 'sign_in_needed']);
    }
    await changeSessions(db.allAccountsSql, {}, { reauthAt: agedBy('5 minutes') });
    for (const { name } of begin) {
      expect(await says(app, name, token), name).toEqual([403, 'reauth_needed']);
    }
    expect(await db.allAccountsSql`select from second_factor_challenges`).toEqual([]);
  });

  test('customers need none, and get no hint of it', async ({ openApp }) => {
    const app = await openApp(required);
    expect(await says(app, 'second_factor_get', '')).toEqual([400, 'act_unknown']);
  });
});

test('an optional second factor does not restrict operators without one', async ({
  db,
  openApp,
}) => {
  const app = await openApp();
  const token = await operator(db);
  expect((await app.ask('user_check_token', { token })).body.data).not.toHaveProperty(
    'needs_second_factor',
  );
  expect(await says(app, 'second_factor_get', token)).toEqual([200, 'ok']);
});
