import { describe, expect } from 'vitest';
import { isTransient, retrying } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import {
  createNotes,
  failureOf,
  kill,
  notesOf,
  open,
  openAsOwner,
  pidOf,
} from '#tests/support/database/notes.ts';
import { openWireProxy } from '#tests/support/database/wire/wire-proxy.ts';

const lost = (outcome: 'not sent' | 'unknown') =>
  expect.objectContaining({ name: 'ConnectionLost', outcome });

describe('a connection that the server ends', () => {
  test('while idle in the pool is replaced without an error', async ({ db }) => {
    const pool = open(db.url, 1);
    for (let tries = 0; tries < 5; tries++) {
      const pid = await pidOf(pool);
      await kill(db, pid);
      expect(await retrying(() => pidOf(pool))).not.toBe(pid);
    }
    await pool.end();
  });

  test('in the middle of a plain statement leaves its outcome unknown', async ({ db }) => {
    const pool = openAsOwner(db.url);
    const ended = await failureOf(
      pool`select pg_terminate_backend(pg_backend_pid()), pg_sleep(60)`,
    );
    expect(ended).toEqual(lost('unknown'));
    expect(ended).toMatchObject({ code: '57P01' });
    expect(isTransient(ended)).toBe(true);
    expect(await retrying(() => pool`select 1 as one`)).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('at BEGIN fails a transaction before it begins', async ({ db }) => {
    const pool = openAsOwner(db.url);
    const ended = await failureOf(
      pool.begin((tx) => tx`select pg_terminate_backend(pg_backend_pid()), pg_sleep(60)`),
    );
    expect(ended).toEqual(lost('not sent'));
    expect(await retrying(() => pool`select 1 as one`)).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('within a transaction rolls it back, and leaks nothing of it to others', async ({ db }) => {
    await createNotes(db);
    const pool = open(db.url, 1);
    for (let tries = 0; tries < 5; tries++) {
      const ready = Promise.withResolvers<number>();
      const next = Promise.withResolvers<void>();
      const later: unknown[] = [];
      const ended = failureOf(
        pool.begin(async (tx) => {
          await tx`insert into notes values (${`before ${tries}`}, 'lost')`;
          ready.resolve(await pidOf(tx));
          await next.promise;
          later.push(await failureOf(tx`insert into notes values ('after', 'lost')`));
          later.push(await failureOf(tx`insert into notes values ('after', 'lost')`));
        }),
      );
      await kill(db, await ready.promise);
      const another = retrying(() =>
        pool.begin(async (tx) => {
          await tx`insert into notes values (${`another ${tries}`}, 'kept')`;
        }),
      );
      next.resolve();
      expect(await ended).toEqual(lost('not sent'));
      expect(later.every((error) => error instanceof Error)).toBe(true);
      await another;
    }
    expect(await notesOf(db)).toEqual([0, 1, 2, 3, 4].map((n) => `another ${n}`));
    await pool.end();
  });

  test('at COMMIT leaves the outcome unknown', async ({ db }) => {
    await createNotes(db);
    await db.owner.query(`
      create function die() returns trigger language plpgsql security definer as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(60); return new; end $$;
      create constraint trigger dies after insert on notes deferrable initially deferred
        for each row execute function die()`);
    const pool = open(db.url, 1);
    const ended = await failureOf(
      pool.begin((tx) => tx`insert into notes values ('doomed', 'lost')`),
    );
    expect(ended).toEqual(lost('unknown'));
    expect(await notesOf(db)).toEqual([]);
    expect(await retrying(() => pool`select 1 as one`)).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('after a transaction keeps its commit', async ({ db }) => {
    await createNotes(db);
    const pool = open(db.url, 1);
    const pid = await pool.begin(async (tx) => {
      await tx`insert into notes values ('kept', 'kept')`;
      return pidOf(tx);
    });
    await kill(db, pid);
    expect(await retrying(() => pool`select note from notes`)).toEqual([{ note: 'kept' }]);
    await pool.end();
  });
});

describe('a transaction', () => {
  test('that its own work rejects is rolled back, and its connection is reused', async ({ db }) => {
    await createNotes(db);
    const pool = open(db.url, 1);
    const pid = await pidOf(pool);
    const refused = pool.begin(async (tx) => {
      await tx`insert into notes values ('a', 'lost')`;
      await tx`select 1 / 0`;
    });
    await expect(refused).rejects.toMatchObject({ code: '22012' });
    expect(await notesOf(db)).toEqual([]);
    expect(await pidOf(pool)).toBe(pid);
    await pool.end();
  });

  test('fails with the first error, even if its work continued', async ({ db }) => {
    const pool = open(db.url, 1);
    const caught = pool.begin(async (tx) => {
      await failureOf(tx`select 1 / 0`);
      return 'done';
    });
    await expect(caught).rejects.toMatchObject({ code: '22012' });
    const together = pool.begin((tx) =>
      Promise.all([tx`select 1`, tx`select 1 / 0`, tx`select 2`]),
    );
    await expect(together).rejects.toMatchObject({ code: '22012' });
    await pool.end();
  });

  test('with a failing COMMIT is rolled back, and its connection is not reused', async ({ db }) => {
    await createNotes(db);
    await db.owner`alter table notes add later text references notes deferrable initially deferred`;
    const pool = open(db.url, 1);
    const pid = await pidOf(pool);
    const refused = pool.begin(
      (tx) => tx`insert into notes (note, of, later) values ('a', 'b', 'c')`,
    );
    await expect(refused).rejects.toMatchObject({ code: '23503' });
    expect(await notesOf(db)).toEqual([]);
    expect(await pidOf(pool)).not.toBe(pid);
    await pool.end();
  });

  test('of one statement that fails at commit is reported and rolled back', async ({ db }) => {
    await db.owner.query(`
      create table shops (n int primary key);
      create table orders (n int references shops initially deferred);
      grant select, insert on orders to kabari_app`);
    await expect(db.owner`insert into orders values (1)`).rejects.toThrow('foreign key');
    await expect(
      Promise.all([1, 2].map((n) => db.allAccountsSql`insert into orders values (${n})`)),
    ).rejects.toThrow('foreign key');
    expect(await db.owner`select n from orders`).toEqual([]);
    expect(await db.owner`select 1 as n`).toEqual([{ n: 1 }]);
  });

  test('that times out is rolled back, and its connection is not reused', async ({ db }) => {
    const pool = open(db.url, 1);
    const pid = await pidOf(pool);
    const late = pool.begin(async (tx) => {
      await tx`select set_config('statement_timeout', '50', true)`;
      await tx`select pg_sleep(60)`;
    });
    await expect(late).rejects.toMatchObject({ code: '57014' });
    expect(await pidOf(pool)).not.toBe(pid);
    await pool.end();
  });

  test('with a failing BEGIN does not run the statements sent with it', async ({ db }) => {
    await createNotes(db);
    const pool = open(db.url, 1);
    const refused = pool.begin(
      (tx) => tx`insert into notes values ('outside', 'lost')`,
      'isolation level nonsense',
    );
    await expect(refused).rejects.toMatchObject({ code: '42601' });
    expect(await notesOf(db)).toEqual([]);
    await pool.end();
  });

  test('that has ended runs no more statements', async ({ db }) => {
    const pool = open(db.url, 1);
    const tx = await pool.begin(async (inside) => {
      await inside`select 1`;
      return [inside];
    });
    await expect(tx[0]?.query('select 1')).rejects.toThrow('the transaction is over');
    await pool.end();
  });

  test('sends nothing if its work runs no statements', async ({ db }) => {
    const proxy = await openWireProxy(db.url);
    const pool = open(proxy.url, 1);
    await pool`select 1`;
    const before = proxy.passed.toServer;
    expect(await pool.begin(() => 'nothing')).toBe('nothing');
    expect(proxy.passed.toServer).toBe(before);
    await pool.end();
    proxy.close();
  });

  test('rolls back a savepoint alone', async ({ db }) => {
    await createNotes(db);
    const pool = open(db.url, 1);
    await pool.begin(async (tx) => {
      await tx`insert into notes values ('first', 'kept')`;
      const undone = tx.savepoint(async (inner) => {
        await inner`insert into notes values ('second', 'lost')`;
        await inner`select 1 / 0`;
      });
      await expect(undone).rejects.toMatchObject({ code: '22012' });
      await tx.savepoint((inner) => inner`insert into notes values ('third', 'kept')`);
    });
    expect(await notesOf(db)).toEqual(['first', 'third']);
    await pool.end();
  });

  test('left open by a script ends with it', async ({ db }) => {
    const pool = open(db.url, 1);
    const pid = await pidOf(pool);
    await pool.query('begin; select 1');
    expect(await pidOf(pool)).not.toBe(pid);
    await pool.end();
  });
});
