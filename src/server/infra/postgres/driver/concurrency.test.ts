import { describe, expect } from 'vitest';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { createNotes, failureOf, notesOf, open, pidOf } from '#tests/support/database/notes.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { ConnectionLost } from './errors.ts';

type Outcome = { note: string; fate: 'done' | 'undone' | 'unknown' };
class TakenBack extends Error {}

async function fateOf(note: string, work: Promise<unknown>): Promise<Outcome> {
  try {
    await work;
    return { note, fate: 'done' };
  } catch (error) {
    if (error instanceof TakenBack) return { note, fate: 'undone' };
    if (!(error instanceof ConnectionLost)) throw error;
    return { note, fate: error.outcome === 'unknown' ? 'unknown' : 'undone' };
  }
}

function transaction(pool: Sql, note: string, isTakenBack: boolean): Promise<Outcome> {
  const work = pool.begin(async (tx) => {
    const look = async () => {
      const [seen] = await tx`
        select pg_backend_pid() as pid, pg_current_xact_id()::text as xid,
          current_setting('app.probe', true) as probe`;
      return seen;
    };
    await tx`select set_config('app.probe', ${note}, true)`;
    const before = await look();
    await tx`insert into notes values (${`${note} a`}, ${note})`;
    await Promise.all([
      tx`insert into notes values (${`${note} b`}, ${note})`,
      tx`select pg_sleep(0.001)`,
    ]);
    expect(await look()).toEqual(before);
    expect(before?.['probe']).toBe(note);
    if (isTakenBack) throw new TakenBack();
  });
  return fateOf(note, work);
}

function plain(pool: Sql, note: string): Promise<Outcome> {
  const work = pool`
    insert into notes (note, of) values (${`${note} a`}, ${note})
    returning coalesce(current_setting('app.probe', true), '') as probe`;
  return fateOf(
    note,
    work.then(([row]) => expect(row?.['probe']).toBe('')),
  );
}

/** Compares the reported outcomes with the rows; no two owners may share a transaction. */
async function expectTruth(db: TestDatabase, outcomes: readonly Outcome[]): Promise<void> {
  const standing = new Set(
    (await db.owner<{ of: string }[]>`select distinct of from notes`).map(({ of }) => of),
  );
  const wrong = outcomes.filter(({ note, fate }) =>
    fate === 'done' ? !standing.has(note) : fate === 'undone' && standing.has(note),
  );
  expect(wrong).toEqual([]);
  expect(await db.owner`select xid from notes group by xid having count(distinct of) > 1`).toEqual(
    [],
  );
  expect(await db.owner`select of from notes group by of having count(distinct xid) > 1`).toEqual(
    [],
  );
  const halves = await db.owner`
    select of from notes where of like 'tx%' group by of having count(*) <> 2`;
  expect(halves).toEqual([]);
}

function whileBusy<T>(db: TestDatabase, pool: Sql, start: () => T): Promise<T> {
  return db.owner.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(7)`;
    failureOf(pool`select pg_advisory_xact_lock(7)`).catch(() => undefined);
    await waitFor(async () => {
      const waiting = await tx`
        select from pg_locks where locktype = 'advisory' and objid = 7 and not granted`;
      expect(waiting).toHaveLength(1);
    });
    return start();
  });
}

describe('more single statements than connections', () => {
  test('share connections, each with its own result and transaction', async ({ db }) => {
    await createNotes(db);
    const pool = open(db.url, 2);
    const asked = Array.from({ length: 300 }, (_, n) =>
      n % 3 === 0
        ? failureOf(pool`select ${n}::int / 0`)
        : pool`insert into notes (note, of) values (${String(n)}, 'kept') returning note, xid::text`,
    );
    const answers = await Promise.all(asked);
    const kept = answers.flatMap((answer, n) => {
      if (n % 3 === 0) expect(answer).toMatchObject({ code: '22012' });
      else expect(answer).toMatchObject([{ note: String(n) }]);
      return Array.isArray(answer) ? answer : [];
    });
    expect(new Set(kept.map((row: Record<string, unknown>) => row['xid'])).size).toBe(200);
    const pids = await Promise.all(Array.from({ length: 50 }, () => pidOf(pool)));
    expect(new Set(pids).size).toBeLessThanOrEqual(2);
    await pool.end();
    expect(await notesOf(db)).toHaveLength(200);
  });

  test('never continue a transaction that one of them left open', async ({ db }) => {
    await createNotes(db);
    const pool = open(db.url, 1);
    const { left, others } = await whileBusy(db, pool, () => ({
      left: pool`begin`.then(() => 'done'),
      others: Array.from({ length: 20 }, (_, n) =>
        fateOf(
          String(n),
          pool`insert into notes (note, of) values (gen_random_uuid()::text, 'stray')`,
        ),
      ),
    }));
    expect(await left).toBe('done');
    expect((await Promise.all(others)).map(({ fate }) => fate)).toEqual(
      others.map(() => 'unknown'),
    );
    expect(await notesOf(db)).toEqual([]);
    expect(await retrying(() => pool`select 1 as one`)).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('never join another caller’s open transaction', async ({ db }) => {
    const pool = open(db.url, 2);
    const probe = (sql: Sql | Tx) => sql`
      select coalesce(current_setting('app.probe', true), '') as probe`;
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const transaction = pool.begin(async (tx) => {
      await tx`select set_config('app.probe', 'within', true)`;
      begun.resolve();
      await end.promise;
      return [...(await probe(tx))];
    });
    await begun.promise;
    for (let round = 0; round < 5; round++) {
      const all = await Promise.all(Array.from({ length: 50 }, () => probe(pool)));
      expect(all.flat().filter((row) => row['probe'] !== '')).toEqual([]);
    }
    end.resolve();
    expect(await transaction).toEqual([{ probe: 'within' }]);
    await pool.end();
  });

  test('do not block a transaction forever', async ({ db }) => {
    const pool = open(db.url, 1);
    let isOver = false;
    const keepAsking = async () => {
      while (!isOver) await pool`select pg_sleep(0.002)`;
    };
    const { busy, transaction } = await whileBusy(db, pool, () => ({
      busy: Array.from({ length: 20 }, keepAsking),
      transaction: failureOf(pool.begin((tx) => tx`select 1`)),
    }));
    expect(await transaction).toBe('done');
    isOver = true;
    await Promise.all(busy);
    await pool.end();
  });
});

describe('many callers on a small pool', () => {
  const ROUNDS = 20;

  test('200 transactions and 200 plain statements, twenty times, each get their own result', async ({
    db,
  }) => {
    await createNotes(db);
    const pool = open(db.url, 10);
    const outcomes: Outcome[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const all = Array.from({ length: 200 }, (_, n) => [
        transaction(pool, `tx ${round} ${n}`, n % 5 === 0),
        plain(pool, `plain ${round} ${n}`),
      ]);
      outcomes.push(...(await Promise.all(all.flat())));
    }
    expect(outcomes.filter(({ fate }) => fate === 'unknown')).toEqual([]);
    expect(outcomes.filter(({ fate }) => fate === 'undone')).toHaveLength(ROUNDS * 40);
    await expectTruth(db, outcomes);
    const open_ = db.owner`
      select from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`;
    expect(await open_).toEqual([]);
    await pool.end();
  });

  test('get true outcomes while connections are killed', async ({ db }) => {
    await createNotes(db);
    const pool = open(db.url, 10);
    const outcomes: Outcome[] = [];
    let isOver = false;
    const killer = (async () => {
      while (!isOver) {
        await db.owner`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'kabari concurrency'
          order by random() limit 2`;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    for (let round = 0; round < ROUNDS; round++) {
      const all = Array.from({ length: 50 }, (_, n) => [
        transaction(pool, `tx ${round} ${n}`, n % 5 === 0),
        plain(pool, `plain ${round} ${n}`),
      ]);
      outcomes.push(...(await Promise.all(all.flat())));
    }
    isOver = true;
    await killer;
    await waitFor(async () =>
      expect(
        await db.owner`
        select from pg_stat_activity where datname = current_database()
          and application_name = 'kabari concurrency' and state <> 'idle'`,
      ).toEqual([]),
    );
    await expectTruth(db, outcomes);
    expect(new Set(outcomes.map(({ fate }) => fate)).has('done')).toBe(true);
    await pool.end();
  });
});
