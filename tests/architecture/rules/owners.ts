import { type Rule, type Sources, sourcesIn } from './sources.ts';
import { crossings, foreignReaders, owners } from './tables.ts';
import { functionsOf, tablesOf, templatesOf, usesOf } from './sql.ts';

type Place = { name: string; owner: string; writes: readonly string[]; reads: readonly string[] };

const MIGRATIONS = 'src/server/migrations';
/** Policies, partition bounds and constraints need these before any other function exists. */
const functionsOfMigrations = [
  'all_accounts_table',
  'entry_has_shape',
  'message_is_lawful',
  'seen_account',
  'sees_all',
  'tenant_table',
  'uuid_floor',
];

/** `src/server/domains/ledger/x.sql` → `ledger`; files outside the domains belong to `infra`. */
const ownerOf = (file: string): string =>
  /^src\/server\/domains\/(\w+)\//.exec(file)?.[1] ?? file.split('/')[2] ?? '';

/** Finds SQL and the known tables it uses. Migrations create tables and use none. */
function placesIn(sources: Sources): Place[] {
  const tables = new Set(Object.keys(owners));
  const known = (names: Iterable<string>) => [...names].filter((name) => tables.has(name));
  const place = (file: string, name: string, sql: string, also: readonly string[] = []): Place => {
    const { writes, reads } = usesOf(sql);
    return {
      name,
      owner: ownerOf(file),
      writes: known([...writes, ...also]),
      reads: known(reads),
    };
  };
  return sourcesIn(sources, 'src/server', /\.(ts|sql)$/).flatMap(([file, text]) => {
    if (file.endsWith('.ts')) {
      return [place(file, file, templatesOf(text).join('\n;\n'), erasedByName(text))];
    }
    return file.startsWith(MIGRATIONS)
      ? []
      : functionsOf(text).map((one) => place(file, `${one.name}()`, one.text));
  });
}

const erasedByName = (text: string): string[] =>
  text.includes('eraseRows(') ? [...text.matchAll(/'(\w+)'/g)].map(([, name = '']) => name) : [];

export const tablesHaveOwners: Rule = (sources) => {
  const migrations = sourcesIn(sources, MIGRATIONS, /\.sql$/).map(([, text]) => text);
  const dropped = migrations.flatMap((text) =>
    [...text.matchAll(/^drop table (\w+)/gm)].map(([, name = '']) => name),
  );
  const made = migrations.flatMap(tablesOf).filter((table) => !dropped.includes(table));
  return [
    ...made
      .filter((table) => !(table in owners))
      .map((table) => `the table ${table} has no owner: name the domain in tests/architecture`),
    ...Object.keys(owners)
      .filter((table) => !made.includes(table))
      .map((table) => `there is no table ${table}: remove it from tests/architecture`),
  ];
};

/** Only its owner writes a table. Writes across owners in one transaction are listed, exactly. */
export const oneWriter: Rule = (sources) => {
  const found = new Set<string>();
  const wrong: string[] = [];
  for (const { name, owner, writes } of placesIn(sources)) {
    for (const table of new Set(writes)) {
      if (owners[table] === owner) continue;
      found.add(`${name} ${table}`);
      if (crossings[name]?.includes(table)) continue;
      wrong.push(
        `${name} writes ${table}, which is ${owners[table]}'s: call a function of src/server/domains/${owners[table]}`,
      );
    }
  }
  for (const [name, tables] of Object.entries(crossings)) {
    for (const table of tables.filter((one) => !found.has(`${name} ${one}`))) {
      wrong.push(`${name} no longer writes ${table}: remove it from the crossings`);
    }
  }
  return wrong;
};

/** Readers of another owner's table are listed; the list is exact and may only shrink. */
export const listedReaders: Rule = (sources) => {
  const found = new Set<string>();
  const wrong: string[] = [];
  for (const { name, owner, reads } of placesIn(sources)) {
    for (const table of new Set(reads)) {
      if (owners[table] === owner || found.has(`${owner} ${table}`)) continue;
      found.add(`${owner} ${table}`);
      if (foreignReaders[owner]?.includes(table)) continue;
      wrong.push(
        `${name} reads ${table}, which is ${owners[table]}'s: use its public API (the list of foreign readers does not grow)`,
      );
    }
  }
  for (const [owner, tables] of Object.entries(foreignReaders)) {
    for (const table of tables.filter((one) => !found.has(`${owner} ${one}`))) {
      wrong.push(`${owner} no longer reads ${table}: remove it from the foreign readers`);
    }
  }
  return wrong;
};

const STATEMENT = /\b(?:sql|tx|\w+Sql)(?:<[^`;]*>)?`/;

export const sqlAtHome: Rule = (sources) =>
  sourcesIn(sources, 'src', /\.ts$/)
    .filter(([file]) => !/^src\/server\/(domains|infra)\//.test(file))
    .filter(([, text]) => STATEMENT.test(text))
    .map(([file]) => `${file} has SQL: move the statement to the domain that owns its table`);

export const oneNotifier: Rule = (sources) =>
  sourcesIn(sources, 'src/server', /\.(ts|sql)$/)
    .filter(([file]) => !file.startsWith('src/server/domains/events/'))
    .filter(([, text]) => /\bpg_notify\s*\(|^\s*notify\s+\w/m.test(text))
    .map(([file]) => `${file} sends NOTIFY: write to the outbox, events notifies after COMMIT`);

export const functionsWithOwners: Rule = (sources) =>
  sourcesIn(sources, MIGRATIONS, /\.sql$/).flatMap(([file, text]) =>
    functionsOf(text)
      .filter(({ name }) => !functionsOfMigrations.includes(name))
      .map(({ name }) => `${file} creates ${name}(): give it a separate file beside its caller`),
  );
