import { describe, expect } from 'vitest';
import { test } from '#tests/database.ts';
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
