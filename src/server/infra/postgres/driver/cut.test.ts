import { describe, expect } from 'vitest';
import { type Sql, isTransient, openDatabase, retrying } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type Cut, openWireProxy } from '#tests/support/database/wire/wire-proxy.ts';
import { ConnectionLost } from './errors.ts';

type Told = 'done' | 'not sent' | 'unknown';

async function ask(
  db: TestDatabase,
  work: (pool: Sql, note: string) => Promise<unknown>,
  cut?: Cut,
): Promise<{ told: Told; stands: number; passed: { toServer: number; toClient: number } }> {
  const note = crypto.randomUUID();
  const proxy = await openWireProxy(db.url, cut);
  const pool = openDatabase(proxy.url, { max: 1, as: 'all accounts', name: 'cut' });
  const told = await work(pool, note).then(
    (): Told => 'done',
    (error: unknown): Told => {
      expect(isTransient(error), String(error)).toBe(true);
      if (!(error instanceof ConnectionLost)) throw error;
      return error.outcome;
    },
  );
  const passed = { ...proxy.passed };
  expect(await retrying(() => pool`select 1 as one`)).toEqual([{ one: 1 }]);
  await pool.end();
  proxy.close();
  await waitFor(async () =>
    expect(
      await db.owner`
      select from pg_stat_activity
      where application_name = 'kabari cut' and datname = current_database()`,
    ).toEqual([]),
  );
  const stands = await db.owner`select from notes where note = ${note}`;
  return { told, stands: stands.length, passed };
}

async function cutEverywhere(
  db: TestDatabase,
  work: (pool: Sql, note: string) => Promise<unknown>,
  whole: number,
): Promise<Set<string>> {
  await db.owner.query('create table notes (note uuid); grant all on notes to kabari_app');
  const { told, stands, passed } = await ask(db, work);
  expect({ told, stands }).toEqual({ told: 'done', stands: whole });
  const seen = new Set<string>();
  for (const direction of ['toServer', 'toClient'] as const) {
    for (let after = 0; after < passed[direction]; after++) {
      const one = await ask(db, work, { direction, after });
      const where = `${direction} ${after}: ${one.told}, ${one.stands}`;
      expect([0, whole], where).toContain(one.stands);
      if (one.told === 'done') expect(one.stands, where).toBe(whole);
      if (one.told === 'not sent') expect(one.stands, where).toBe(0);
      seen.add(`${one.told}, ${one.stands}`);
    }
  }
  return seen;
}

describe('a connection cut between any two messages', () => {
  test('of a transaction: the reported outcome matches the stored rows', async ({ db }) => {
    const seen = await cutEverywhere(
      db,
      (pool, note) =>
        pool.begin(async (tx) => {
          await tx`insert into notes values (${note})`;
          await Promise.all([tx`select 1`, tx`insert into notes values (${note})`]);
        }),
      2,
    );
    expect([...seen].sort()).toEqual(['not sent, 0', 'unknown, 0', 'unknown, 2']);
  });

  test('of a single statement: the reported outcome matches the stored rows', async ({ db }) => {
    const seen = await cutEverywhere(
      db,
      async (pool, note) => void (await pool`insert into notes values (${note}) returning note`),
      1,
    );
    expect([...seen].sort()).toEqual(['not sent, 0', 'unknown, 0', 'unknown, 1']);
  });
});
