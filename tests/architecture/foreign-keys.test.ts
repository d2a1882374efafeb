import { expect } from 'vitest';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { repository, sourcesIn } from './rules/sources.ts';

/**
 * Tables whose rows are never deleted and keys never change, so references need no index. Exact.
 */
const neverDeleted: Readonly<Record<string, string>> = {
  gl_accounts: 'the chart of accounts only grows',
  plan_revisions: 'what was sold stays as it was sold',
  plans: 'a plan is withdrawn, and its subscribers keep it',
  topups: 'money that came in; erasure blanks who paid',
  users: 'an erased person stays as a pseudonym',
};

/** Foreign keys without an index on their columns. A partial one must cover all non-null values. */
const withoutIndex = (sql: Sql) => sql<{ key: string; names: string }[]>`
  with key as (
    select c.conrelid, c.conkey, c.confrelid::regclass::text as names,
      c.conrelid::regclass::text as table, array(
        select a.attname::text from unnest(c.conkey) with ordinality as k(n, ord)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by k.ord
      ) as columns
    from pg_constraint c where c.contype = 'f' and c.conparentid = 0
  )
  select format('%s (%s)', k.table, array_to_string(k.columns, ', ')) as key, k.names from key k
  where not exists (
    select from pg_index i where i.indrelid = k.conrelid and i.indisvalid
      and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = any(
        select format('(%I IS NOT NULL)', c) from unnest(k.columns) as c))
  ) order by 1`;

test('indexes every foreign key to rows that may be deleted', async ({ db }) => {
  const bare = await withoutIndex(db.owner);
  const known = (names: string) => Object.hasOwn(neverDeleted, names);
  expect(bare.filter(({ names }) => !known(names))).toEqual([]);
  expect([...new Set(bare.map(({ names }) => names))].toSorted()).toEqual(
    Object.keys(neverDeleted),
  );
});

test('deletes no rows of tables listed as never deleted', async () => {
  const deleted = sourcesIn(await repository(), 'src/server', /\.(ts|sql)$/)
    .filter(([file]) => !file.startsWith('src/server/migrations/'))
    .flatMap(([file, text]) => [
      ...[...text.matchAll(/\bdelete\s+from\s+(?:only\s+)?(\w+)/gi)].map(([, name]) => [
        file,
        name,
      ]),
      ...(text.includes('eraseRows(')
        ? [...text.matchAll(/'(\w+)'/g)].map(([, name]) => [file, name])
        : []),
    ]);
  expect(deleted.map(([, name]) => name)).toContain('files');
  expect(deleted.filter(([, name = '']) => Object.hasOwn(neverDeleted, name))).toEqual([]);
});
