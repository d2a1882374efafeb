import { describe, expect } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import { type Sql, type Tx, isTransient, openDatabase, retrying } from './database.ts';

const pidOf = async (tx: Tx): Promise<number> => {
  const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
};

/** Ends a connection from outside and returns when its server process is gone. */
async function end(owner: Sql, pid: number): Promise<void> {
  await owner`select pg_terminate_backend(${pid}, 2000)`;
}

describe('a transaction whose connection dies', () => {
  test('in the middle of a statement is trouble that passes', async ({ db }) => {
    const pool = openDatabase(db.url, { max: 1, as: 'house', name: 'tests' });
    for (let tries = 0; tries < 5; tries++) {
      const lost = pool.begin(async (tx) => {
        const pid = await pidOf(tx);
        const [slept] = await Promise.allSettled([tx`select pg_sleep(5)`, end(db.owner, pid)]);
        throw (slept as PromiseRejectedResult).reason;
      });
      expect(isTransient(await lost.catch((error: unknown) => error))).toBe(true);
      expect(await retrying(() => pool`select 1 as one`)).toEqual([{ one: 1 }]);
    }
    await pool.end();
  });

  test('while it rests says nothing more, on that connection or on the next', async ({ db }) => {
    await db.owner`create table said (word text)`;
    await db.owner`grant all on said to kabari_app`;
    const pool = openDatabase(db.url, { max: 1, as: 'house', name: 'tests' });
    for (let tries = 0; tries < 5; tries++) {
      const ready = Promise.withResolvers<number>();
      const next = Promise.withResolvers<void>();
      let late: unknown;
      const lost = pool.begin(async (tx) => {
        const pid = await pidOf(tx);
        await tx`insert into said values ('before')`;
        ready.resolve(pid);
        await next.promise;
        late = await tx`insert into said values ('after')`.catch((error: unknown) => error);
        throw late;
      });
      lost.catch(() => undefined);
      await end(db.owner, await ready.promise);
      expect(isTransient(await lost.catch((error: unknown) => error))).toBe(true);
      // Another's transaction on the connection that took the dead one's place.
      await retrying(() =>
        pool.begin(async (tx) => {
          await tx`insert into said values ('another')`;
          next.resolve();
          await tx`select pg_sleep(0.05)`;
        }),
      );
      expect(isTransient(late)).toBe(true);
    }
    expect(await pool`select word, count(*) as n from said group by 1`).toEqual([
      { word: 'another', n: 5 },
    ]);
    await pool.end();
  });
});

test('a transaction that is refused by its own work is rolled back as ever', async ({ db }) => {
  const pool = openDatabase(db.url, { max: 1, as: 'house', name: 'tests' });
  const refused = pool.begin(async (tx) => {
    await tx`create temporary table gone (n int)`;
    await tx`select 1 / 0`;
  });
  await expect(refused).rejects.toMatchObject({ code: '22012' });
  expect(await pool`select to_regclass('gone') as gone`).toEqual([{ gone: null }]);
  await pool.end();
});

/** As many statements as the driver puts on one connection before it holds back, and some around it. */
const CROWDS = [95, 96, 97, 98, 99, 100, 101, 102, 103, 150, 199, 200, 201, 202, 300];

test('a transaction begins however many statements stand before it, and what follows is kept', async ({
  db,
}) => {
  await db.owner`create table said (word text)`;
  await db.owner`grant all on said to kabari_app`;
  const pool = openDatabase(db.url, { max: 2, as: 'house', name: 'tests' });
  for (const subscriptions of CROWDS) {
    const before = Array.from({ length: subscriptions }, () => pool`select 1`.execute());
    const began = pool.begin(async (tx) => tx`insert into said values ('within')`);
    const after = Array.from({ length: 50 }, () => pool`insert into said values ('after')`);
    const outcomes = await Promise.allSettled([...before, began, ...after]);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  }
  const open = await db.owner`
    select state from pg_stat_activity where datname = current_database() and state like '%transaction%'`;
  expect(open).toEqual([]);
  await pool.end();
  expect(await db.owner`select word, count(*) as n from said group by 1 order by 1`).toEqual([
    { word: 'after', n: 50 * CROWDS.length },
    { word: 'within', n: CROWDS.length },
  ]);
});

test('what waits for its turn when a pool ends is done first', async ({ db }) => {
  await db.owner`create table said (word text)`;
  await db.owner`grant all on said to kabari_app`;
  const pool = openDatabase(db.url, { max: 2, as: 'house', name: 'tests' });
  const all = Promise.allSettled(
    Array.from({ length: 300 }, () => pool`insert into said values ('late')`.execute()),
  );
  // The driver hands a statement over a moment after it was asked for.
  await new Promise((resolve) => setImmediate(resolve));
  await pool.end();
  expect((await all).filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(await db.owner`select count(*) as n from said`).toEqual([{ n: 300 }]);
});
