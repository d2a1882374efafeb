import { describe, expect } from 'vitest';
import { acts } from '#contract/acts.ts';
import { type RunningApp, test } from '#tests/support/app/running-app.ts';
import { changeSessions, customerWith, makeSession } from '#tests/support/people/people.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
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

describe('a sensitive act', () => {
  test('requires the password: keys, the number, the archive, deletion, webhook addresses', () => {
    expect(requiresRecentPassword.map(({ name }) => name).toSorted()).toEqual([
      'campaign_export',
      'message_export',
      'token_access_update',
      'token_cloud_connect',
      'token_confirm',
      'token_create',
      'token_move',
      'token_rotate',
      'user_change_phone',
      'user_change_phone_confirm',
      'user_delete',
      'user_delete_ask',
      'user_export',
      'webhook_save',
      'webhook_secret_rotate',
    ]);
  });

  test('is refused in another browser, in none, and after five minutes', async ({
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
    await changeSessions(db.allAccountsSql, {}, { reauthAt: agedBy('5 minutes') });
    const wish = { token, key: crypto.randomUUID(), name: 'Kasir', channel: 'simulator' };
    expect((await container.ask('token_create', wish, from(HERS))).status).toBe(403);
    await changeSessions(db.allAccountsSql, {}, { reauthAt: 'now' });
    expect((await container.ask('token_create', wish, from(HERS))).status).toBe(200);
  });
});

test('an act that needs no reauthentication does not check it', async ({ openApp, db }) => {
  const container = await openApp();
  const token = await ani(db);
  expect(await says(container, 'user_check_token', token, THIEFS)).toEqual([200, 'ok']);
});
