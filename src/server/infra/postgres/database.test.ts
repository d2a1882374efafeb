import { once } from 'node:events';
import { type Server, type Socket, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type Sql, asAccount, isTransient, openDatabase, retrying } from './database.ts';

async function twoAccounts(owner: Sql): Promise<{ ani: string; budi: string }> {
  await owner.query(`
    do $$ begin create role kabari_app; exception when duplicate_object then null; end $$;
    create table notes (
      account_id uuid not null, note text not null constraint note_not_empty check (note <> ''),
      primary key (account_id, note)
    );
    alter table notes enable row level security;
    create policy own on notes to kabari_app
      using (account_id::text = current_setting('app.account', true));
    create policy every_account on notes to kabari_all using (true);
    grant select, insert on notes to kabari_app`);
  const [ani, budi] = [crypto.randomUUID(), crypto.randomUUID()];
  await owner`insert into notes values (${ani}, 'of Ani'), (${budi}, 'of Budi')`;
  return { ani, budi };
}

const words = (found: readonly object[]) => found.map((row) => ('note' in row ? row.note : ''));

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

async function proxyTo(url: string) {
  const { hostname, pathname, username } = new URL(url);
  let accepted = 0;
  let swallowing = false;
  let swallowed = 0;
  const sockets: Socket[] = [];
  const proxy = createServer((near) => {
    accepted++;
    const far = connect(`${decodeURIComponent(hostname)}/.s.PGSQL.5432`);
    sockets.push(near);
    near.on('data', (bytes) => {
      if (swallowing) swallowed += bytes.length;
      else far.write(bytes);
    });
    near.on('error', () => far.destroy());
    far.on('data', (bytes) => swallowing || near.write(bytes)).on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  const port = await listening(proxy);
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    accepted: () => accepted,
    cut: () => sockets.splice(0).forEach((socket) => socket.resetAndDestroy()),
    swallow: (on: boolean) => (swallowing = on),
    swallowed: () => swallowed,
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      proxy.close();
    },
  };
}

function ownClock(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('visibility of rows', () => {
  test('the tenant pool sees no rows until an account is set', async ({ db }) => {
    await twoAccounts(db.owner);
    expect(await db.tenantSql`select note from notes`).toEqual([]);
  });

  test('work as an account sees only that account', async ({ db }) => {
    const { ani } = await twoAccounts(db.owner);
    const seen = await asAccount(db.tenantSql, ani, (tx) => tx`select note from notes`);
    expect(words(seen)).toEqual(['of Ani']);
  });

  test('work as an account cannot write into another', async ({ db }) => {
    const { ani, budi } = await twoAccounts(db.owner);
    const theft = asAccount(
      db.tenantSql,
      ani,
      (tx) => tx`insert into notes values (${budi}, 'of a thief')`,
    );
    await expect(theft).rejects.toThrow('row-level security');
  });

  test('the account is reset when its transaction ends', async ({ db }) => {
    const { ani } = await twoAccounts(db.owner);
    const one = openDatabase(db.url, { max: 1, as: 'tenant', name: 'tests' });
    await asAccount(one, ani, (tx) => tx`select note from notes`);
    expect(await one`select note from notes`).toEqual([]);
    await one.end();
  });

  test('the pool of all accounts sees every account', async ({ sql, db }) => {
    await twoAccounts(db.owner);
    expect(words(await sql`select note from notes order by note`)).toEqual(['of Ani', 'of Budi']);
  });

  test('work as an account sees only that account, also on the pool of all accounts', async ({
    db,
  }) => {
    const { ani } = await twoAccounts(db.owner);
    const found = await asAccount(
      db.allAccountsSql,
      ani,
      (tx) => tx`select note, current_user as who from notes`,
    );
    expect(found).toEqual([{ note: 'of Ani', who: 'kabari_app' }]);
  });

  test('the app runs as kabari_app and cannot become the owner by RESET', async ({ db }) => {
    await twoAccounts(db.owner);
    const one = openDatabase(db.url, { max: 1, as: 'tenant', name: 'tests' });
    await one`reset role`;
    expect(await one`select current_user as who`).toEqual([{ who: 'kabari_app' }]);
    await one.end();
  });
});

describe('values', () => {
  test('are returned as integers, dates and bytes', async ({ db }) => {
    const [row] = await db.owner`
      select 9000000000000000::bigint as amount, '2026-11-21'::date as day,
             '2026-11-21 02:05Z'::timestamptz as at, '\\x00ff'::bytea as bytes,
             array[1, 2]::bigint[] as list`;
    expect(row).toEqual({
      amount: 9_000_000_000_000_000,
      day: '2026-11-21',
      at: new Date('2026-11-21T02:05:00Z'),
      bytes: Buffer.from([0, 255]),
      list: [1, 2],
    });
  });

  test('an integer too large to be exact is an error', async ({ db }) => {
    const asked = db.owner`select 9007199254740993::bigint as amount`;
    await expect(asked).rejects.toThrow(RangeError);
    expect(await db.owner`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

describe('errors', () => {
  test('rows of a failed statement never appear in the next result', async ({ db }) => {
    const long = db.owner`select 1 / (3 - n) as q, repeat('x', 9000) from generate_series(1, 5) n`;
    await expect(long).rejects.toThrow('division by zero');
    expect(await db.owner`select 1 as one`).toEqual([{ one: 1 }]);

    await expect(
      db.owner`select 1 / (3 - n) as q, repeat('x', 9000) from generate_series(1, 5) n`,
    ).rejects.toThrow('division by zero');
    expect(await db.owner`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test('a violated constraint has its name', async ({ db }) => {
    const { ani } = await twoAccounts(db.owner);
    const broken: unknown = await db.owner`insert into notes values (${ani}, '')`.catch(
      (error: unknown) => error,
    );
    expect(broken).toMatchObject({ code: '23514', constraint: 'note_not_empty' });
    expect(isTransient(broken)).toBe(false);
  });

  test('a connection ended by the server is a transient error', async ({ db }) => {
    const one = openDatabase(db.url, { max: 1, as: 'owner', name: 'doomed' });
    const ended: unknown = await one`select pg_terminate_backend(pg_backend_pid())`.catch(
      (error: unknown) => error,
    );
    expect(isTransient(ended)).toBe(true);
    expect(await retrying(() => one`select 1 as one`)).toEqual([{ one: 1 }]);
    await one.end();
  });

  test('recognizes transient errors by code', () => {
    const coded = (code: string) => Object.assign(new Error('no'), { code });
    for (const code of ['25P03', '57P05', 'EAGAIN', '40P01', '55P03', '53300', '08006'])
      expect(isTransient(coded(code)), code).toBe(true);
    for (const code of ['23505', '25P02', '42601', '57014', '57P04', 'EACCES', 'XX000'])
      expect(isTransient(coded(code)), code).toBe(false);
  });

  test('an unreachable server is an error each time, and is found when it is back', async () => {
    const proxy = createServer();
    const port = await listening(proxy);
    proxy.close();
    await once(proxy, 'close');
    const url = `postgres://kabari@127.0.0.1:${port}/kabari`;
    const one = openDatabase(url, { max: 1, as: 'tenant', name: 'tests' });
    for (let tries = 0; tries < 3; tries++) {
      const missed: unknown = await one`select 1`.catch((error: unknown) => error);
      expect(isTransient(missed)).toBe(true);
    }
    await one.end({ timeout: 0 });
  });

  test('detects a network that drops all packets within six seconds', async ({ db }) => {
    ownClock();
    const { url, swallow, swallowed, close } = await proxyTo(db.impatientUrl);
    const one = openDatabase(url, { max: 1, as: 'tenant', name: 'tests' });
    await one`select 1`;
    swallow(true);
    let missed: unknown;
    const asked = one`select 2`.catch((error: unknown) => (missed = error));
    await waitFor(() => expect(swallowed()).toBeGreaterThan(0));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(missed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1_000);
    await asked;
    expect(isTransient(missed)).toBe(true);
    swallow(false);
    expect(await retrying(() => one`select 3 as three`)).toEqual([{ three: 3 }]);
    await one.end();
    close();
  });

  test('a suspended process does not blame the server for its own silence', async ({ db }) => {
    const url = new URL(db.url);
    url.searchParams.set('options', '-c statement_timeout=1000');
    const one = openDatabase(url.href, { max: 1, as: 'tenant', name: 'tests' });
    expect(await one`show statement_timeout`).toEqual([{ statement_timeout: '1s' }]);
    const asked = one`select pg_sleep(0.5)::text as answer`.then((answers) => answers);
    await waitFor(async () =>
      expect(
        await db.owner`select from pg_stat_activity where query like 'select pg_sleep(0.5)%'`,
      ).toHaveLength(1),
    );
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_300);
    expect(await asked).toEqual([{ answer: '' }]);
    await one.end();
  });

  test('while connections break, every result belongs to its own statement', async ({ db }) => {
    ownClock();
    const { url, cut, close } = await proxyTo(db.url);
    const pool = openDatabase(url, { max: 4, as: 'tenant', name: 'tests' });
    const ask = async (n: number): Promise<'answered' | 'lost'> => {
      try {
        const found = await pool`select ${n}::int as n, pg_sleep(0.001)::text as slept`;
        expect(found[0]?.['n']).toBe(n);
        return 'answered';
      } catch (error) {
        if (!isTransient(error)) throw error;
        return 'lost';
      }
    };
    let asked = 0;
    let cuts = 0;
    const outcomes = { answered: 0, lost: 0 };
    const person = async () => {
      while (cuts < 150) outcomes[await ask(asked++)]++;
    };
    const cutter = async () => {
      for (; cuts < 150; cuts++) {
        cut();
        await pause(15);
      }
    };
    await Promise.all([cutter(), ...Array.from({ length: 40 }, person)]);
    expect(outcomes.answered + outcomes.lost).toBe(asked);
    expect(outcomes.lost).toBeGreaterThan(0);
    await pool`select pg_sleep(0)`;
    const after = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(n)));
    expect(after.filter((outcome) => outcome === 'lost')).toEqual([]);
    await pool.end({ timeout: 1 });
    close();
  });

  test('an idle connection is not ended for its silence', async ({ db }) => {
    ownClock();
    const { url, accepted, close } = await proxyTo(db.url);
    const one = openDatabase(url, { max: 1, as: 'tenant', name: 'tests' });
    await one`select 1`;
    await vi.advanceTimersByTimeAsync(60_000);
    await one`select 1`;
    expect(accepted()).toBe(1);
    await one.end();
    close();
  });

  test('retries work after transient errors, at most five times', async () => {
    const lost = Object.assign(new Error('gone'), { code: 'CONNECTION_LOST' });
    const heals = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(lost)
      .mockResolvedValue('ok');
    expect(await retrying(heals, { dice: () => 0 })).toBe('ok');
    expect(heals).toHaveBeenCalledTimes(2);

    const never = vi.fn<() => Promise<string>>().mockRejectedValue(lost);
    await expect(retrying(never, { dice: () => 0 })).rejects.toBe(lost);
    expect(never).toHaveBeenCalledTimes(5);
  });

  test('does not retry a refusal', async () => {
    const no = vi.fn<() => Promise<string>>().mockRejectedValue(new Error('no'));
    await expect(retrying(no)).rejects.toThrow('no');
    expect(no).toHaveBeenCalledTimes(1);
  });
});
