import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as rules from './rules/owners.ts';
import { prove } from './rules/proof.ts';
import { syntheticSources } from './rules/sources.ts';
import { crossings, foreignReaders, owners } from './rules/tables.ts';

const DOMAINS = 'src/server/domains';
const MIGRATION = 'src/server/migrations/0001_all.sql';
const sql = (statement: string): string => `await tx<Row[]>\`${statement}\`;`;
const sqlFunction = (name: string, body: string): string =>
  `-- Says what it does; doesn't write: insert into wallets.\ncreate or replace function ${name}()\nreturns void language plpgsql as $$\nbegin\n  ${body};\nend\n$$;\n`;

/** Code for each listed crossing and reader, so that made-up sources satisfy the exact lists. */
const listed: Record<string, string> = Object.fromEntries([
  ...Object.entries(crossings).map(([name, tables]) => {
    const writes = tables.map((table) => `update ${table} set a = 1`);
    return name.endsWith('()')
      ? [
          `${DOMAINS}/support/${name.slice(0, -2)}.sql`,
          sqlFunction(name.slice(0, -2), writes.join(';\n  ')),
        ]
      : [name, writes.map(sql).join('\n')];
  }),
  ...Object.entries(foreignReaders).map(([owner, tables]) => [
    owner === 'infra' ? 'src/server/infra/readers.ts' : `${DOMAINS}/${owner}/readers.ts`,
    tables.map((table) => sql(`select from ${table}`)).join('\n'),
  ]),
]);
const made = Object.keys(owners)
  .map((table) => `create table ${table} (id uuid);`)
  .join('\n');

prove([
  [
    'every table has an owner',
    rules.tablesHaveOwners,
    { [MIGRATION]: made.replace('create table wallets', 'create table purses') },
    ['the table purses has no owner', 'there is no table wallets'],
  ],
  [
    'only its owner writes a table, except for the listed crossings',
    rules.oneWriter,
    {
      ...listed,
      [`${DOMAINS}/tokens/create.ts`]: sql('insert into lanes (token_id) values (${id})'),
      [`${DOMAINS}/tokens/own.ts`]: sql('update tokens set name = ${of({ a: `update lanes` })}'),
      [`${DOMAINS}/tokens/says.ts`]: `// insert into lanes\nconst words = 'delete from lanes';`,
      [`${DOMAINS}/tokens/locks.ts`]: sql('select from tokens for no key update of lanes'),
      [`${DOMAINS}/accounts/account-data.ts`]: "await eraseRows(sql, 'outbox', accountId);",
      [`${DOMAINS}/messages/more.sql`]: sqlFunction('more', 'delete from wallets'),
      [`${DOMAINS}/messages/less.sql`]: sqlFunction('less', "raise notice 'update wallets'"),
      [`${DOMAINS}/ledger/merge.ts`]: sql('merge into wallets using topups on true'),
    },
    [
      'tokens/create.ts writes lanes',
      'tokens/own.ts writes lanes',
      'accounts/account-data.ts writes outbox',
      'more() writes wallets',
    ],
  ],
  [
    'readers of another owner’s table are listed, and the list only shrinks',
    rules.listedReaders,
    {
      ...listed,
      [`${DOMAINS}/media/look.ts`]: sql('select from files f, wallets w join users u on true'),
      [`${DOMAINS}/media/own.ts`]: sql('with sessions as (select 1) select from sessions'),
      [`${DOMAINS}/pricing/price.sql`]: sqlFunction('price', 'perform 1 from topups'),
    },
    ['media/look.ts reads wallets', 'media/look.ts reads users', 'price() reads topups'],
  ],
  [
    'SQL is only in domains and infra',
    rules.sqlAtHome,
    {
      'src/server/app/worker.ts': 'await allAccountsSql`select 1`;',
      'src/server/http/live.ts': sql('select 1'),
      'src/server/infra/postgres/check.ts': sql('select 1'),
      'src/server/app/jobs.ts': 'const words = `select`;',
    },
    ['src/server/app/worker.ts has SQL', 'src/server/http/live.ts has SQL'],
  ],
  [
    'only events sends NOTIFY',
    rules.oneNotifier,
    {
      [`${DOMAINS}/events/notify.ts`]: sql('select pg_notify(${channel}, ${payload})'),
      'src/server/app/worker.ts': sql('select pg_notify(${channel}, ${payload})'),
      [`${DOMAINS}/ledger/tell.sql`]: sqlFunction('tell', "\n  notify kabari_live, 'x'"),
    },
    ['src/server/app/worker.ts sends NOTIFY', 'ledger/tell.sql sends NOTIFY'],
  ],
  [
    'SQL functions live with their owner',
    rules.functionsWithOwners,
    { [MIGRATION]: `${sqlFunction('seen_account', 'null')}${sqlFunction('post', 'null')}` },
    [`${MIGRATION} creates post()`],
  ],
]);

test('reports listed crossings and readers that no longer exist', () => {
  const gone = [
    ...rules.oneWriter(syntheticSources({})),
    ...rules.listedReaders(syntheticSources({})),
  ];
  const pairs = [...Object.values(crossings), ...Object.values(foreignReaders)].flat();
  expect(gone).toEqual(
    pairs.map((table) => expect.stringMatching(`no longer \\w+ ${table}: remove it`)),
  );
});

test('docs/internals/data.md names the tables of each owner', async () => {
  const page = await readFile('docs/internals/data.md', 'utf8');
  const [, list = ''] = page.split('| owner | tables |\n');
  const named = [...(list.split('\n\n')[0]?.matchAll(/^\| (\w+) \| ([^;|]+)/gm) ?? [])].flatMap(
    ([, owner, tables = '']) =>
      [...tables.matchAll(/`(\w+)`/g)].map(([, table]) => `${table} of ${owner}`),
  );
  const owned = Object.entries(owners).map(([table, owner]) => `${table} of ${owner}`);
  expect(named.toSorted()).toEqual(owned.toSorted());
});
