import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#server/infra/ids.ts';
import { canonicalAddress, withTargetSession } from '#server/infra/postgres/address.ts';
import { checkDatabase } from '#server/infra/postgres/check.ts';
import { type Sql, isTransient, openDatabase } from '#server/infra/postgres/database.ts';
import {
  type StreamingServer,
  startPrimary,
  startStandby,
} from '#tests/support/database/streaming.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { makeAccount } from '#tests/support/people/people.ts';

let primary: StreamingServer;
let standby: StreamingServer;
beforeAll(async () => {
  primary = await startPrimary({ durable: true });
  standby = await startStandby(primary, { durable: true });
});
afterAll(async () => {
  await standby.remove();
  await primary.remove();
});

const isStandby = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ yes: boolean }[]>`select pg_is_in_recovery() as yes`;
  return row?.yes ?? false;
};

describe('an address of two servers', () => {
  const place = ({ url }: StreamingServer) => new URL(url).hostname;
  const bothIn = (session: string, ...servers: StreamingServer[]) =>
    canonicalAddress(
      `postgres://kabari@${servers.map(place).join(',')}/kabari?target_session_attrs=${session}`,
    ) ?? '';
  const openPool = (url: string) =>
    openDatabase(url, { max: 2, as: 'all accounts', name: 'two servers' });

  test('connects to the required one in any order', async () => {
    for (const servers of [
      [primary, standby],
      [standby, primary],
    ]) {
      const [writing, reading] = ['read-write', 'prefer-standby'].map((session) =>
        openPool(bothIn(session, ...servers)),
      );
      if (!writing || !reading) throw new Error('two pools were opened');
      expect(await isStandby(writing)).toBe(false);
      expect(await isStandby(reading)).toBe(true);
      await Promise.all([writing.end(), reading.end()]);
    }
  });

  test('refuses the start if neither takes writes', async () => {
    const sql = openDatabase(withTargetSession(standby.url, 'read-write'), {
      max: 1,
      as: 'owner',
      name: 'tests',
    });
    await expect(checkDatabase(sql, { production: false })).rejects.toThrow(
      'The database kabari takes no writes (a standby, or set to read-only)',
    );
    await sql.end();
  });
});

describe('a former primary', () => {
  test('loses its connections with the first write it refuses', async () => {
    const sql = openDatabase(primary.url, { max: 1, as: 'all accounts', name: 'demoted' });
    const write = () => makeAccount(sql, { name: 'written' });
    await write();
    const pid = () =>
      sql<{ pid: number }[]>`select pg_backend_pid() as pid`.then(([row]) => row?.pid);
    const before = await pid();
    await primary.run(
      'alter system set default_transaction_read_only = on',
      'select pg_reload_conf()',
    );
    const error = await waitFor(() =>
      write().then(
        () => false,
        (trouble: unknown) => trouble,
      ),
    );
    expect(error).toMatchObject({ name: 'ConnectionLost', code: '25006', outcome: 'not sent' });
    expect(isTransient(error)).toBe(true);
    expect(await pid()).not.toBe(before);
    // A write in a read-only transaction is our own fault.
    const ours = sql.begin((tx) => makeAccount(tx), 'read only');
    await expect(ours.catch((trouble: unknown) => isTransient(trouble))).resolves.toBe(false);
    await primary.run(
      'alter system reset default_transaction_read_only',
      'select pg_reload_conf()',
    );
    await waitFor(() =>
      write().then(
        () => true,
        () => false,
      ),
    );
    await sql.end();
  });

  test('confirms nothing alone, also if its wait for the standby is cancelled', async () => {
    await primary.run(
      `alter system set synchronous_standby_names = 'nobody'`,
      'select pg_reload_conf()',
    );
    const sql = openDatabase(primary.url, { max: 1, as: 'all accounts', name: 'alone' });
    const accountId = newId();
    const written = sql.begin((tx) => makeAccount(tx, { accountId, name: 'Ani' }));
    const refused = expect(written).rejects.toMatchObject({
      name: 'ConnectionLost',
      outcome: 'unknown',
    });
    const superuser = openDatabase(primary.superuserUrl, { max: 1, as: 'owner', name: 'tests' });
    await waitFor(async () => {
      const found = await superuser`
        select pg_cancel_backend(pid) from pg_stat_activity
        where application_name = 'kabari alone' and wait_event = 'SyncRep'`;
      return found.length === 1;
    });
    await refused;
    await superuser.end();
    await primary.run('alter system reset synchronous_standby_names', 'select pg_reload_conf()');
    const found = await sql`select name from accounts where account_id = ${accountId}`;
    expect(found).toEqual([{ name: 'Ani' }]);
    await sql.end();
  });
});
