import { describe, expect } from 'vitest';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { acceptTexts } from '#tests/support/app/fake-channel.ts';
import { type TestDatabase, makeDatabase, test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';

const ignored = () => undefined;

/** Kinds of changes that a test leaves in its database. */
const leftovers: Record<string, (db: TestDatabase) => Promise<unknown>> = {
  nothing: async () => undefined,
  rows: async ({ allAccountsSql }) => {
    const ani = await customerWith(allAccountsSql, { saldo: 100_000 });
    await acceptTexts(allAccountsSql, ani, { prices: [100, 100] });
  },
  'a large table': ({ owner }) =>
    owner.query(`
      insert into password_grants
      select sha256(n::text::bytea), gen_random_uuid(), gen_random_uuid(), now()
      from generate_series(1, 5000) n`),
  'changed seeds': ({ owner }) => owner.query(`update plans set position = 9; delete from prices`),
  'a new table': ({ owner }) => owner.query('create table left_behind (n int)'),
  'a new column': ({ owner }) => owner.query('alter table accounts add column left_behind int'),
  'a dropped index': ({ owner }) => owner.query('drop index sessions_by_user'),
  'a table without policies': ({ owner }) =>
    owner.query('alter table accounts disable row level security'),
  'other privileges': ({ owner }) => owner.query('revoke all on accounts from kabari_app'),
  statistics: ({ owner }) => owner.query('analyze plans'),
  'a setting': ({ owner, url }) =>
    owner.query(`alter database ${new URL(url).pathname.slice(1)} set work_mem = '5MB'`),
  'a transaction': async ({ url }) => {
    const isIn = Promise.withResolvers<void>();
    const forever = openDatabase(url, { max: 1, as: 'owner', name: 'left' }).begin(async (tx) => {
      await tx`lock table accounts`;
      isIn.resolve();
      await new Promise(ignored);
    });
    forever.catch(ignored);
    await isIn.promise;
  },
  'work that goes on': async ({ allAccountsSql }) => {
    const work = async (): Promise<void> => {
      for (;;) await customerWith(allAccountsSql);
    };
    work().catch(ignored);
  },
  'a connection of its own': async ({ url }) => {
    await openDatabase(url, { max: 1, as: 'owner', name: 'left' })`select 1`;
  },
  'an ended pool': ({ allAccountsSql }) => allAccountsSql.end(),
};

/** Columns, indexes and rows of all tables. */
async function contentsOf({ owner }: TestDatabase) {
  const tables = await owner<{ name: string }[]>`
    select c.oid::regclass::text as name, relrowsecurity, relacl::text,
      (select json_agg(attname)::text from pg_attribute where attrelid = c.oid) as columns,
      (select json_agg(indexrelid::regclass)::text from pg_index where indrelid = c.oid) as indexes
    from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`;
  const rows = tables.map(({ name }) => `select '${name}' as name, t::text as row from ${name} t`);
  return {
    tables,
    rows: await owner.query(`${rows.join(' union all ')} order by 1, 2`),
    memory: await owner`select current_setting('work_mem')`,
  };
}

describe.each(Object.entries(leftovers))('after a test that leaves %s', (_, leave) => {
  test('first', async ({ db }) => {
    await leave(db);
  });

  test('the next test finds the template', async ({ db }) => {
    const { db: clone, drop } = await makeDatabase();
    expect(await contentsOf(db)).toEqual(await contentsOf(clone));
    await drop();
  });
});
