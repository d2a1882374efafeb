import { describe, expect } from 'vitest';
import { test as base } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';

const LOCK = 71;

type Shared = {
  owner: Sql;
  pool: Sql;
  hold: () => Promise<() => Promise<void>>;
};

const test = base.extend<{ shared: Shared }>({
  shared: async ({ db }, use) => {
    const pool = openDatabase(db.url, { max: 2, as: 'all accounts', name: 'shared' });
    const holder = openDatabase(db.url, { max: 1, as: 'owner', name: 'holder' });
    const hold = async () => {
      await holder`select pg_advisory_lock(${LOCK})`;
      const held = pool`select pg_advisory_xact_lock(${LOCK})`.catch(() => undefined);
      await waitFor(async () =>
        expect(
          await holder`select from pg_locks where locktype = 'advisory' and not granted`,
        ).toHaveLength(1),
      );
      return async () => {
        await holder`select pg_advisory_unlock(${LOCK})`;
        await held;
      };
    };
    await db.owner.query(`
      create table notes (note text primary key, number int default 7);
      grant all on notes to kabari_app`);
    await use({ owner: db.owner, pool, hold });
    await Promise.all([pool, holder].map((sql) => sql.end({ timeout: 1 })));
  },
});

async function takeOne(pool: Sql): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const done = pool.begin(async (tx) => {
    await tx`select 1`;
    begun.resolve();
    await promise;
  });
  await begun.promise;
  return async () => {
    resolve();
    await done;
  };
}

const settled = async (work: readonly PromiseLike<unknown>[]) =>
  (await Promise.allSettled(work)).map((one) =>
    one.status === 'fulfilled' ? one.value : (one.reason as { code: string }).code,
  );

describe('statements that share a connection', () => {
  test('each get their own rows, also behind one that failed to prepare', async ({
    shared: { pool, hold },
  }) => {
    const insert = (note: string) => pool`
      insert into notes (note) values (${note}) returning note, number`;
    const rowOf = (note: string) => [{ note, number: 7 }];
    expect(await insert('first')).toEqual(rowOf('first'));
    const letGo = await takeOne(pool);
    const release = await hold();
    const work = settled([insert('first'), insert('second'), insert('third')]);
    await release();
    expect(await work).toEqual(['23505', rowOf('second'), rowOf('third')]);
    expect(await insert('fourth')).toEqual(rowOf('fourth'));
    await letGo();
  });

  test('each get a result, also if one could not be described', async ({
    shared: { owner, pool, hold },
  }) => {
    await owner.query('create table going (note text); grant all on going to kabari_app');
    const insert = (note: string) => pool`insert into going values (${note}) returning note`;
    const release = await hold();
    const letGo = await takeOne(pool);
    const early = settled([insert('early')]);
    await letGo();
    expect(await insert('other')).toEqual([{ note: 'other' }]);
    const again = await takeOne(pool);
    await owner.query('drop table going');
    const late = settled([pool`select ${5}::int as late`]);
    await release();
    expect([await early, await late]).toEqual([['42P01'], [[{ late: 5 }]]]);
    await again();
    await pool.end();
  });

  test('continue after one that would copy', async ({ shared: { pool } }) => {
    const copy = pool`copy notes from stdin`;
    expect(await settled([copy])).toEqual(['57014']);
    expect(await pool`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

test('two concurrent savepoints get true outcomes', async ({ shared: { owner, pool } }) => {
  const insert = (sql: Sql | Parameters<Parameters<Sql['begin']>[0]>[0], note: string) =>
    sql`insert into notes (note) values (${note})`;
  const [first, second, third] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const whole = pool.begin(async (tx) => {
    const one = tx.savepoint(async (inner) => {
      await insert(inner, 'one');
      await first?.promise;
    });
    const two = tx.savepoint(async (inner) => {
      await insert(inner, 'two');
      await second?.promise;
      throw new Error('two is undone');
    });
    two.catch(() => undefined);
    first?.resolve();
    await one;
    const three = tx.savepoint(async (inner) => {
      await insert(inner, 'three');
      await third?.promise;
    });
    three.catch(() => undefined);
    second?.resolve();
    await two.catch(() => undefined);
    third?.resolve();
    await three;
  });
  await expect(whole).rejects.toThrow();
  expect(await owner`select note from notes`).toEqual([]);
});

test('reads times and bytes correctly under other settings of the database', async ({
  db,
  shared: { owner },
}) => {
  await owner.query(`
    do $$ begin
      execute format('alter database %I set datestyle = %L', current_database(), 'SQL, DMY');
      execute format('alter database %I set bytea_output = escape', current_database());
    end $$`);
  const sql = openDatabase(db.url, { max: 1, as: 'tenant', name: 'styles' });
  expect(
    await sql`
      select '2026-11-10 02:05Z'::timestamptz as at, '2026-11-25'::date as day, '\\x00ff'::bytea as bytes`,
  ).toEqual([
    { at: new Date('2026-11-10T02:05:00Z'), day: '2026-11-25', bytes: Buffer.from([0, 255]) },
  ]);
  await expect(sql`select 'infinity'::timestamptz as at`).rejects.toThrow(RangeError);
  await sql.end();
});
