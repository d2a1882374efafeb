import { describe, expect } from 'vitest';
import { acts } from '#contract/acts.ts';
import { PASSWORD_SECONDS, type RecentPassword } from '#contract/base/act.ts';
import { type RunningApp, test } from '#tests/support/app/running-app.ts';
import {
  changeSessions,
  customerWith,
  makeAccount,
  makeSession,
  makeUser,
} from '#tests/support/people/people.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { newId } from '#server/infra/ids.ts';
import { agedBy } from '#tests/support/database/changes.ts';

const HERS = 'a'.repeat(43);
const THIEFS = 'b'.repeat(43);
const from = (device: string) => ({ headers: { cookie: `kabari-device=${device}` } });
/** Acts of customers; those of operators are in second-factor.test.ts. */
const requiresRecentPassword = acts.filter(
  (one) => one.requiresRecentPassword && one.by !== 'operator',
);

async function ani({ allAccountsSql: sql }: TestDatabase) {
  const { token } = await makeSession(sql, await customerWith(sql), { device: HERS });
  return token;
}

/**
 * The answer of an act that requires reauthentication; `reauth_needed` precedes the check of its fields.
 */
const says = async ({ ask }: RunningApp, name: string, token: string, device = HERS) => {
  const { status, body } = await ask(name, { token }, from(device));
  return [status, body.error?.type ?? 'ok'];
};

const createToken = ({ ask }: RunningApp, token: string) =>
  ask('token_create', { token, name: 'Kasir', channel: 'simulator' }, from(HERS));

describe('a sensitive act', () => {
  test('requires the password within fifteen minutes to make something, else within five', () => {
    const of = (kind: RecentPassword) =>
      requiresRecentPassword
        .filter((one) => one.requiresRecentPassword === kind)
        .map(({ name }) => name)
        .toSorted();
    expect(PASSWORD_SECONDS).toEqual({ to_make: 900, to_take: 300 });
    expect(of('to_make')).toEqual([
      'campaign_export',
      'message_export',
      'token_cloud_connect',
      'token_create',
      'user_export',
      'webhook_save',
    ]);
    expect(of('to_take')).toEqual([
      'token_access_update',
      'token_confirm',
      'token_move',
      'token_rotate',
      'user_change_phone',
      'user_change_phone_confirm',
      'user_delete',
      'user_delete_ask',
      'webhook_secret_rotate',
    ]);
    expect(acts.filter((one) => one.exceptFirstToken).map(({ name }) => name)).toEqual([
      'token_create',
    ]);
  });

  test('is refused in another browser, in none, and once the password is too old', async ({
    db,
    openApp,
  }) => {
    const container = await openApp();
    const token = await ani(db);
    const needed = [403, 'reauth_needed'];
    for (const { name } of requiresRecentPassword) {
      expect(await says(container, name, token, THIEFS), name).toEqual([403, 'sign_in_needed']);
    }
    const { body } = await container.ask('user_export', { token });
    expect(body.error).toEqual({ type: 'sign_in_needed', facts: {} });
    expect(await says(container, 'user_change_phone', token)).toEqual([422, 'input_invalid']);
    await changeSessions(db.allAccountsSql, {}, { reauthAt: agedBy('5 minutes') });
    for (const { name, requiresRecentPassword: kind } of requiresRecentPassword) {
      // `input_invalid` or the act itself: not asked.
      if (kind === 'to_take') expect(await says(container, name, token), name).toEqual(needed);
      else expect(await says(container, name, token), name).not.toEqual(needed);
    }
    await db.allAccountsSql`delete from exports`;
    await changeSessions(db.allAccountsSql, {}, { reauthAt: agedBy('15 minutes') });
    for (const { name } of requiresRecentPassword)
      expect(await says(container, name, token), name).toEqual(needed);
    expect(await db.allAccountsSql`select * from exports`).toEqual([]);
  });

  test('answers a signed-out caller like any other act', async ({ openApp }) => {
    const container = await openApp();
    for (const { name } of requiresRecentPassword) {
      expect(await says(container, name, ''), name).toEqual([401, 'not_signed_in']);
    }
  });

  test('continues under the same key once the password is given', async ({ db, openApp }) => {
    const container = await openApp();
    const token = await ani(db);
    await changeSessions(db.allAccountsSql, {}, { reauthAt: agedBy('15 minutes') });
    const wish = { token, key: crypto.randomUUID(), name: 'Kasir', channel: 'simulator' };
    expect((await container.ask('token_create', wish, from(HERS))).status).toBe(403);
    await changeSessions(db.allAccountsSql, {}, { reauthAt: 'now' });
    expect((await container.ask('token_create', wish, from(HERS))).status).toBe(200);
  });
});

test('the first token of an account needs no password in its own browser, a second one does', async ({
  db,
  openApp,
}) => {
  const container = await openApp();
  const [accountId, userId] = [newId(), newId()];
  await makeAccount(db.allAccountsSql, { accountId, name: 'Toko Ani' });
  await makeUser(db.allAccountsSql, accountId, { userId, name: 'Ani', phone: '6281234500001' });
  const { token } = await makeSession(db.allAccountsSql, { accountId, userId }, { device: HERS });
  await changeSessions(db.allAccountsSql, {}, { reauthAt: agedBy('16 minutes') });
  expect(await says(container, 'token_create', token, THIEFS)).toEqual([403, 'sign_in_needed']);
  const { status, body } = await createToken(container, token);
  expect([status, body.error]).toEqual([200, undefined]);
  expect((await createToken(container, token)).body.error?.type).toBe('reauth_needed');
  // A deleted token counts: the account is no longer new.
  await container.ask('token_delete', { token, token_id: body.data.token.id }, from(HERS));
  expect((await createToken(container, token)).body.error?.type).toBe('reauth_needed');
});

test('an act that needs no reauthentication does not check it', async ({ openApp, db }) => {
  const container = await openApp();
  const token = await ani(db);
  expect(await says(container, 'user_check_token', token, THIEFS)).toEqual([200, 'ok']);
});
