import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { expect } from 'vitest';
import { openDatabase } from './database.ts';
import { compareMigrations, migrate } from './migrations.ts';

const test = base.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kabari-migrations-'));
    await writeFile(join(folder, '0001_words.sql'), 'create table words (word text);');
    await writeFile(join(folder, '0002_first.sql'), `insert into words values ('satu');`);
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
});

test('applies each once, in order, over several starts', async ({ db, folder }) => {
  await db.owner`drop table if exists migrations`;
  expect(await migrate(db.owner, folder)).toEqual(['0001_words.sql', '0002_first.sql']);
  expect(await migrate(db.owner, folder)).toEqual([]);
  await writeFile(join(folder, '0003_second.sql'), `insert into words values ('dua');`);
  expect(await migrate(db.owner, folder)).toEqual(['0003_second.sql']);
  expect(await db.owner`select word from words`).toEqual([{ word: 'satu' }, { word: 'dua' }]);
});

test('concurrent starts apply each once', async ({ db, folder }) => {
  await db.owner`drop table if exists migrations`;
  const nodes = [1, 2, 3, 4].map(() => openDatabase(db.url, { max: 1, as: 'owner', name: 'm' }));
  const applied = await Promise.all(nodes.map((sql) => migrate(sql, folder)));
  expect(applied.flat().toSorted()).toEqual(['0001_words.sql', '0002_first.sql']);
  expect(await db.owner`select word from words`).toEqual([{ word: 'satu' }]);
  await Promise.all(nodes.map((sql) => sql.end()));
});

test('one blocked by a long reader lets others read, and is applied afterwards', async ({
  db,
  folder,
}) => {
  await db.owner`drop table if exists migrations`;
  await migrate(db.owner, folder);
  await writeFile(join(folder, '0003_column.sql'), 'alter table words add column n int;');
  const reader = openDatabase(db.url, { max: 1, as: 'owner', name: 'reader' });
  const tries: number[] = [];
  let applied: Promise<string[]> | undefined;
  await reader.begin(async (tx) => {
    await tx`select word from words`;
    applied = migrate(db.owner, folder);
    await waitFor(async () => {
      await tx`select pg_stat_clear_snapshot()`;
      const [wait] = await tx<{ pid: number; since: number }[]>`
        select pid, extract(epoch from xact_start)::float8 as since from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`;
      if (wait && !tries.includes(wait.since)) tries.push(wait.since);
      return tries.length === 2;
    });
  });
  expect(await applied).toEqual(['0003_column.sql']);
  await reader.end();
});

test('refuses one that was edited after it was applied', async ({ db, folder }) => {
  await db.owner`drop table if exists migrations`;
  await migrate(db.owner, folder);
  await writeFile(join(folder, '0001_words.sql'), 'create table words (word text, n int);');
  await expect(migrate(db.owner, folder)).rejects.toThrow(
    'The migration 0001_words.sql was changed after it was applied; undo the change and write a new one.',
  );
});

test('an older version starts on a database that a newer one extended, and does not change it', async ({
  db,
  folder,
}) => {
  await db.owner`drop table if exists migrations`;
  await migrate(db.owner, folder);
  await rm(join(folder, '0002_first.sql'));
  expect(await migrate(db.owner, folder)).toEqual([]);
  expect(await db.owner`select name from migrations order by 1`).toHaveLength(2);
});

test('a contracting migration refuses only versions without its replacement', async ({
  db,
  folder,
}) => {
  await db.owner`drop table if exists migrations`;
  const contract = '-- Nobody reads it any more.\n-- contract: 0002_first\ndrop table words;';
  await writeFile(join(folder, '0003_contract.sql'), contract);
  await migrate(db.owner, folder);
  await rm(join(folder, '0003_contract.sql'));
  expect(await migrate(db.owner, folder)).toEqual([]);
  await rm(join(folder, '0002_first.sql'));
  await expect(migrate(db.owner, folder)).rejects.toThrow(
    'The database knows the migration 0003_contract.sql and this version does not; start the newer version.',
  );
});

test('refuses a version that lacks one in the middle', async ({ db, folder }) => {
  await db.owner`drop table if exists migrations`;
  await migrate(db.owner, folder);
  await rm(join(folder, '0001_words.sql'));
  await expect(migrate(db.owner, folder)).rejects.toThrow('start the newer version');
});

test('refuses one that sorts before an applied one', async ({ db, folder }) => {
  await db.owner`drop table if exists migrations`;
  await rename(join(folder, '0002_first.sql'), join(folder, '0003_first.sql'));
  await migrate(db.owner, folder);
  await writeFile(join(folder, '0002_late.sql'), 'select 1;');
  await expect(migrate(db.owner, folder)).rejects.toThrow(
    'The migration 0002_late.sql comes before one already applied; give it the next number.',
  );
});

test('rolls back one that fails half-way, and names it', async ({ db, folder }) => {
  await db.owner`drop table if exists migrations`;
  await writeFile(join(folder, '0003_broken.sql'), 'create table half (n int); select 1 / 0;');
  await expect(migrate(db.owner, folder)).rejects.toThrow(
    'The migration 0003_broken.sql failed: division by zero.',
  );
  expect(await db.owner`select to_regclass('half') as half`).toEqual([{ half: null }]);
  expect(await db.owner`select word from words`).toEqual([{ word: 'satu' }]);
});

for (const first of ['0001_house.sql', '0001_foundation.sql']) {
  test(`a database of a version before 1.0.0, which began with ${first}, is refused`, async ({
    db,
    folder,
  }) => {
    await db.owner`update migrations set name = ${first} where name like '0001_%'`;
    const sentence =
      'This database was made by a version before 1.0.0 and cannot be taken over; begin with an empty one: move the data folder aside or set KABARI_DATA to a new, empty folder (with DATABASE_URL: name a new, empty database), then start again.';
    const refusal = { name: 'StartError', message: sentence };
    await expect(migrate(db.owner, folder)).rejects.toMatchObject(refusal);
    await expect(compareMigrations(db.owner, folder)).rejects.toMatchObject(refusal);
  });
}
