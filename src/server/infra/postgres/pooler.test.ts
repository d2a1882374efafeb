import { describe, expect, test as plain } from 'vitest';
import { makeDatabase } from '#tests/support/database/database.ts';
import { hasPgbouncer, startPgbouncer } from '#tests/support/database/pgbouncer.ts';
import { test as base } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { verifyRowLevelSecurityAt } from '#tests/support/database/row-level-security.ts';
import { passPooler } from './pooler.ts';
import { verifyRowLevelSecurity } from './row-level-security.ts';
import { openDatabase } from './database.ts';

/** Makes pgbouncer accept settings of clients, and drop them. */
const dropsSettings = {
  ignore_startup_parameters:
    'extra_float_digits,role,app.account,app.startup,jit,statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
};

const test = base.extend<{
  pooler: (settings: Record<string, string | number>) => Promise<string>;
}>({
  pooler: async ({ db }, use) => {
    const stops: (() => Promise<void>)[] = [];
    await use(async (settings) => {
      const { url, stop } = await startPgbouncer(db.url, settings);
      stops.push(stop);
      return url;
    });
    for (const stop of stops) await stop();
  },
});

plain('a database without a pooler keeps its address', async () => {
  const { db, drop } = await makeDatabase();
  expect(await passPooler(db.url)).toBe(db.url);
  await drop();
});

plain('an address that nobody answers is left to the check that says why', async () => {
  const nowhere = 'postgres://ani@127.0.0.1:1/kabari';
  expect(await passPooler(nowhere)).toBe(nowhere);
});

describe.skipIf(!hasPgbouncer)('a transaction-mode pooler', () => {
  for (const [name, settings] of [
    ['as it comes', {}],
    ['with settings it drops', dropsSettings],
    ['taking turns', { server_round_robin: 1, ...dropsSettings }],
    ['with one connection', { default_pool_size: 1 }],
  ] as const) {
    test(`is refused by name: ${name}`, async ({ pooler }) => {
      const url = await pooler({ pool_mode: 'transaction', ...settings });
      await expect(passPooler(url)).rejects.toThrow(
        /^The pooler .* uses transaction-mode pooling, .* \(pgbouncer: pool_mode = session\)/,
      );
    });
  }

  test('is refused while others use it too', async ({ pooler }) => {
    const url = await pooler({ pool_mode: 'transaction', server_round_robin: 1 });
    const { others, leave } = crowdAt(url);
    await others;
    await expect(passPooler(url)).rejects.toThrow('uses transaction-mode pooling');
    await leave();
  });
});

function crowdAt(url: string): { others: Promise<unknown>; leave: () => Promise<unknown> } {
  let busy = true;
  const pools = Array.from({ length: 5 }, () =>
    openDatabase(`${url}?kabari_bare_startup=on`, { max: 1, as: 'owner', name: 'others' }),
  );
  const ask = (sql: (typeof pools)[number]) => sql.query('select pg_sleep(0.001)');
  const others = Promise.all(pools.map(ask));
  const work = pools.map(async (sql) => {
    await others;
    while (busy) await ask(sql);
    await sql.end();
  });
  return {
    others,
    leave: () => {
      busy = false;
      return Promise.all(work);
    },
  };
}

describe.skipIf(!hasPgbouncer)('a session-mode pooler', () => {
  for (const [name, settings] of [
    ['as it comes', {}],
    ['when it drops settings', dropsSettings],
    ['when it forgets to tidy up', { server_reset_query: '', ...dropsSettings }],
  ] as const) {
    test(`keeps accounts apart: ${name}`, async ({ pooler }) => {
      const url = await passPooler(await pooler({ pool_mode: 'session', ...settings }));
      await verifyRowLevelSecurityAt(url);
      await verifyRowLevelSecurityAt(url);
      const owner = openDatabase(url, { max: 1, as: 'owner', name: 'tests' });
      expect(
        await owner`select current_user as who, current_setting('app.account', true) as account`,
      ).toEqual([{ who: 'kabari', account: '' }]);
      await owner.end();
    });
  }

  test('supports the whole application: it is ready, publishes, and is notified', async ({
    pooler,
    db,
    openApp,
  }) => {
    const url = await passPooler(await pooler({ pool_mode: 'session', default_pool_size: 50 }));
    const { app, container } = await openApp({ works: true, url });
    await waitFor(() => expect(container.events.hub.isListening).toBe(true));
    const [system] = await db.allAccountsSql<{ account_id: string }[]>`
      select account_id from accounts where is_system`;
    await db.allAccountsSql`
      insert into outbox (account_id, outbox_id, kind, data)
      values (${system?.account_id ?? ''}, gen_random_uuid(), 'saldo.changed',
        '{"available": 0, "held": 0}')`;
    await waitFor(async () => expect(await db.allAccountsSql`select from outbox`).toEqual([]));
    const answer = await app.inject({ method: 'GET', url: '/readyz' });
    expect(answer.statusCode).toBe(200);
  });
});

describe('a connection with too much visibility', () => {
  test('stops the start if it does not work as kabari_app', async ({ db }) => {
    const owner = openDatabase(db.url, { max: 2, as: 'owner', name: 'tests' });
    await expect(
      verifyRowLevelSecurity([{ sql: owner, max: 2, sees: 'one account' }]),
    ).rejects.toThrow(/would work as kabari instead of kabari_\w+/);
    await owner.end();
  });

  test('stops the start if a table has row-level security off', async ({ db }) => {
    await db.owner`alter table tokens disable row level security`;
    await expect(verifyRowLevelSecurityAt(db.url)).rejects.toThrow(
      /not in force on the table tokens; run ALTER TABLE/,
    );
  });

  test('stops the start if a policy shows all rows', async ({ db }) => {
    await db.owner`create policy open on accounts using (true)`;
    await expect(verifyRowLevelSecurityAt(db.url)).rejects.toThrow(
      /does not keep the rows of one account/,
    );
  });

  test('stops the start if a tenant session begins with all accounts', async ({ db }) => {
    const allAccountsSql = openDatabase(db.url, { max: 3, as: 'all accounts', name: 'tests' });
    await expect(
      verifyRowLevelSecurity([{ sql: allAccountsSql, max: 3, sees: 'one account' }]),
    ).rejects.toThrow(/would work as kabari_all instead of kabari_app/);
    await allAccountsSql.end();
  });

  test('and leaves no rows of the check', async ({ db }) => {
    await verifyRowLevelSecurityAt(db.url);
    expect(await db.allAccountsSql`select from accounts where name = 'a trial'`).toEqual([]);
  });
});
