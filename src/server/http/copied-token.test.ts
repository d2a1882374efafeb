import { describe, expect } from 'vitest';
import { acts } from '#contract/acts.ts';
import { GOOD_PASSWORD } from '#tests/support/people/accounts-app.ts';
import { newId } from '#server/infra/ids.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type RunningApp, signedIn, test } from '#tests/support/app/running-app.ts';
import { identifier } from '#server/infra/postgres/sql.ts';
import {
  browserOf,
  changeSessions,
  changeUsers,
  makeOperators,
} from '#tests/support/people/people.ts';
import { agedBy } from '#tests/support/database/changes.ts';

const changes = acts.filter((one) => one.changes && one.by !== 'public');
const lasting = changes.filter((one) => one.outlivesSession);
const names = (some: readonly { name: string }[]) => some.map(({ name }) => name).toSorted();

/** The lowest number of calls that any rate limit allows a person at once. */
const CALLS = 30;

/** The acts in parts, each for a person who has calls left. */
const partsOf = <Act>(some: readonly Act[]): Act[][] =>
  Array.from({ length: Math.ceil(some.length / (CALLS - 1)) }, (_, n) =>
    some.slice(n * (CALLS - 1), (n + 1) * (CALLS - 1)),
  );

const browsers = ['no cookie', 'a cookie of nobody’s', 'another person’s cookie'] as const;
type Browsers = Readonly<Record<(typeof browsers)[number], Record<string, string>>>;

/** A session, its own browser, and another browser with a copy of its token. */
async function copied(db: TestDatabase, role: 'customer' | 'operator') {
  const ani = await signedIn(db, { saldo: 10_000 });
  const budi = await signedIn(db);
  if (role === 'operator') await makeOperators(db.allAccountsSql, ani);
  const elsewhere: Browsers = {
    'no cookie': { cookie: '' },
    'a cookie of nobody’s': { cookie: `kabari-device=${'c'.repeat(43)}` },
    'another person’s cookie': { cookie: `kabari-device=${browserOf(budi.token)}` },
  };
  return { token: ani.token, userId: ani.userId, elsewhere };
}

/** All stored data that an act could change, except the records of the calls themselves. */
async function everything({ allAccountsSql }: TestDatabase): Promise<unknown> {
  const tables = ['accounts', 'users', 'user_phones', 'tokens', 'links', 'topups', 'messages'];
  const rows = tables.map(
    (table) => allAccountsSql`select * from ${identifier(table)} order by 1, 2`,
  );
  const sessions = allAccountsSql`select session_id, revoked_at from sessions order by 1`;
  return Promise.all([...rows, sessions]);
}

const outcome = async (running: RunningApp, name: string, wish: object, headers = {}) => {
  const { status, body } = await running.ask(
    name,
    { key: crypto.randomUUID(), ...wish },
    { headers },
  );
  return [status, body.error?.type ?? 'ok'] as const;
};

describe('every change that needs a session', () => {
  test('outlives the session, except the acts listed here', () => {
    expect(names(changes.filter((one) => !one.outlivesSession))).toEqual([
      'broadcast_close',
      'conversation_read',
      'operator_support_read',
      'push_register',
      'push_test',
      'push_unregister',
      'second_factor_ask',
      'second_factor_confirm',
      'support_read',
      'user_logout',
      'user_reauth',
    ]);
    expect(acts.filter((one) => one.requiresRecentPassword && !one.outlivesSession)).toEqual([]);
    expect(acts.filter((one) => one.by === 'public' && one.outlivesSession)).toEqual([]);
  });

  test.for(['customer', 'operator'] as const)(
    'and outlives it asks for the password in another browser, and changes nothing: a %s',
    async (role, { db, openApp }) => {
      const theirs = lasting.filter(({ by }) => by === role || by === 'anyone_signed_in');
      const running = await openApp();
      for (const browser of browsers) {
        for (const some of partsOf(theirs)) {
          const { token, elsewhere } = await copied(db, role);
          const before = await everything(db);
          for (const { name, requiresRecentPassword } of some) {
            const said = await outcome(running, name, { token }, elsewhere[browser]);
            const asks = requiresRecentPassword ? 'sign_in_needed' : 'reauth_needed';
            expect(said, `${name} from ${browser}`).toEqual([403, asks]);
          }
          expect(await everything(db)).toEqual(before);
        }
      }
      // In its own browser no act asks, since the session began with the password.
      for (const some of partsOf(theirs)) {
        const { token } = await copied(db, role);
        for (const { name } of some) {
          expect(await outcome(running, name, { token }), name).not.toContain('reauth_needed');
        }
      }
    },
  );
});

test('reads, and changes that end with the session, work in another browser', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const rest = acts.filter(
    (one) =>
      !one.outlivesSession &&
      !one.streams &&
      (one.by === 'customer' || one.by === 'anyone_signed_in') &&
      one.name !== 'user_logout',
  );
  for (const browser of browsers) {
    for (const some of partsOf(rest)) {
      const { token, elsewhere } = await copied(db, 'customer');
      for (const { name } of some) {
        const [status, said] = await outcome(running, name, { token }, elsewhere[browser]);
        // Acts may miss fields or find no record, but none asks for authentication.
        expect([200, 404, 422], `${name}: ${said}`).toContain(status);
        expect(['ok', 'not_found', 'input_invalid'], name).toContain(said);
      }
    }
  }
  const { token, elsewhere } = await copied(db, 'customer');
  const leaving = await outcome(running, 'user_logout', { token }, elsewhere['no cookie']);
  expect(leaving).toEqual([200, 'ok']);
});

test('a flood of calls with a copied token does not delay the owner', async ({ db, openApp }) => {
  const container = await openApp();
  const { token, elsewhere } = await copied(db, 'customer');
  for (const headers of Object.values(elsewhere)) {
    const flood = Array.from({ length: 60 }, () =>
      outcome(container, 'message_send', { token }, headers),
    );
    expect((await Promise.all(flood)).map(([status]) => status)).toContain(429);
  }
  expect(await outcome(container, 'user_session_revoke', { token, others: '1' })).toEqual([
    200,
    'ok',
  ]);
});

test('the archive’s address, which works without a session, is hidden in another browser', async ({
  db,
  openApp,
}) => {
  const container = await openApp();
  const { token, elsewhere } = await copied(db, 'customer');
  await db.allAccountsSql`
    insert into exports (account_id, export_id, user_id, status, progress, owner, size_bytes, expires_at)
    select account_id, ${newId()}, user_id, 'ready', 100, ${newId()}, 1, clock_timestamp() + interval '1 day'
    from sessions`;
  const urlIn = async (headers = {}) => {
    const { body } = await container.ask('user_export_get', { token }, { headers });
    return body.data.export.url as unknown;
  };
  expect(await urlIn()).toMatch(/^\/exports\//);
  for (const headers of Object.values(elsewhere)) expect(await urlIn(headers)).toBeNull();
});

describe('a password given in another browser', () => {
  const aCookie = { cookie: `kabari-device=${'c'.repeat(43)}` };

  test('allows lasting changes for five minutes, only in that browser', async ({ db, openApp }) => {
    const container = await openApp();
    const { token, userId, elsewhere } = await copied(db, 'customer');
    const hash = await hashPassword(GOOD_PASSWORD);
    await changeUsers(db.allAccountsSql, { userId }, { passwordHash: hash });
    const rename = (headers: object) =>
      outcome(container, 'user_update', { token, name: 'Toko Melati' }, headers);
    expect(await rename(aCookie)).toEqual([403, 'reauth_needed']);
    const wrong = { token, password: 'bukan ini' };
    expect(await outcome(container, 'user_reauth', wrong, aCookie)).toEqual([
      422,
      'password_wrong',
    ]);
    expect(await rename(aCookie)).toEqual([403, 'reauth_needed']);
    const right = { token, password: GOOD_PASSWORD };
    expect(await outcome(container, 'user_reauth', right, aCookie)).toEqual([200, 'ok']);
    expect(await rename(aCookie)).toEqual([200, 'ok']);
    expect(await rename(elsewhere['another person’s cookie'] ?? {})).toEqual([
      403,
      'reauth_needed',
    ]);
    await changeSessions(db.allAccountsSql, {}, { otherReauthAt: agedBy('5 minutes') });
    expect(await rename(aCookie)).toEqual([403, 'reauth_needed']);
  });

  test('does not unlock keys, the number, the archive or account deletion: they need a sign-in there', async ({
    db,
    openApp,
  }) => {
    const container = await openApp();
    const { token, userId } = await copied(db, 'customer');
    const hash = await hashPassword(GOOD_PASSWORD);
    await changeUsers(db.allAccountsSql, { userId }, { passwordHash: hash });
    const right = { token, password: GOOD_PASSWORD };
    expect(await outcome(container, 'user_reauth', right, aCookie)).toEqual([200, 'ok']);
    for (const { name, by } of acts.filter((one) => one.requiresRecentPassword)) {
      if (by === 'operator') continue;
      const said = await outcome(container, name, { token }, aCookie);
      expect(said, name).toEqual([403, 'sign_in_needed']);
    }
    const change = { token, current: GOOD_PASSWORD, password: 'perahu-kertas-di-kali-code' };
    expect(await outcome(container, 'user_change_password', change, aCookie)).toEqual([
      403,
      'sign_in_needed',
    ]);
  });
});
