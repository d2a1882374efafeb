import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { expect } from 'vitest';
import { loadFunctions, updateSchema } from './functions.ts';
import { type Sql, openDatabase } from './database.ts';

type Folder = {
  path: string;
  write(file: string, text: string): Promise<void>;
  remove(file: string): Promise<void>;
};

const one = (result: number) => `
  create or replace function one() returns int language plpgsql as $$ begin return ${result}; end $$;
  revoke all on function one from public;`;

const ONE = 'domains/numbers/one.sql';

async function openFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'kabari-functions-'));
  return {
    path,
    write: async (file, text) => {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), text);
    },
    remove: (file) => rm(join(path, file)),
  };
}

const test = base.extend<{ folder: Folder; owner: Sql }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  folder: async ({}, use) => {
    const folder = await openFolder();
    await folder.write(ONE, one(1));
    await use(folder);
    await rm(folder.path, { recursive: true, force: true });
  },
  owner: async (
    { db, folder }: { db: TestDatabase; folder: Folder },
    use: (owner: Sql) => Promise<void>,
  ) => {
    await loadFunctions(db.owner, join(folder.path, 'nothing'));
    await use(db.owner);
  },
});

const oidOf = async (sql: Sql, name: string): Promise<number | undefined> => {
  const [row] = await sql<{ oid: number }[]>`
    select oid::int from pg_proc where proname = ${name} and pronamespace = 'public'::regnamespace`;
  return row?.oid;
};

const answer = async (sql: Sql, call: string): Promise<unknown> => {
  const [row] = await sql.query(`select ${call} as answer`);
  return row?.['answer'];
};

test('creates a function once, and again only if its text has changed', async ({
  owner,
  folder,
}) => {
  await folder.write('domains/numbers/deep/two.sql', one(2).replaceAll('one', 'two'));
  expect(await loadFunctions(owner, folder.path)).toEqual(['domains/numbers/deep/two.sql', ONE]);
  const untouched = await owner`select oid, xmin from pg_proc where proname = 'two'`;
  const before = await oidOf(owner, 'one');
  expect(await loadFunctions(owner, folder.path)).toEqual([]);
  await folder.write(ONE, one(11));
  expect(await loadFunctions(owner, folder.path)).toEqual([ONE]);
  expect(await answer(owner, 'one()')).toBe(11);
  expect(await oidOf(owner, 'one')).toBe(before);
  expect(await owner`select oid, xmin from pg_proc where proname = 'two'`).toEqual(untouched);
});

test('drops a file’s functions with the file, and moves them with it', async ({
  owner,
  folder,
}) => {
  await loadFunctions(owner, folder.path);
  const before = await oidOf(owner, 'one');
  await mkdir(join(folder.path, 'infra'));
  await rename(join(folder.path, ONE), join(folder.path, 'infra/one.sql'));
  expect(await loadFunctions(owner, folder.path)).toEqual([ONE, 'infra/one.sql']);
  expect(await oidOf(owner, 'one')).toBe(before);
  await folder.remove('infra/one.sql');
  expect(await loadFunctions(owner, folder.path)).toEqual(['infra/one.sql']);
  expect(await oidOf(owner, 'one')).toBeUndefined();
});

test('a function moves between files, and gets the grants of its new text', async ({
  owner,
  folder,
}) => {
  const granted = `${one(1)} grant execute on function one to kabari_app;`;
  const other = (name: string) => one(2).replaceAll('one', name);
  const files = ['domains/letters/a.sql', ONE, 'domains/words/z.sql'];
  for (const [round, home] of [ONE, ...files, ...files.toReversed()].entries()) {
    for (const [n, file] of files.entries()) {
      await folder.write(file, `${file === home ? granted : ''} ${other(`two${n}`)} -- ${round}`);
    }
    await loadFunctions(owner, folder.path);
    expect(await answer(owner, 'one()')).toBe(1);
    expect(await answer(owner, "has_function_privilege('kabari_app', 'one()', 'execute')")).toBe(
      true,
    );
    expect(await answer(owner, 'two0() + two1() + two2()')).toBe(6);
  }
  for (const file of files) await folder.remove(file);
  await folder.write('domains/numbers/other.sql', one(1));
  await loadFunctions(owner, folder.path);
  expect(await answer(owner, "has_function_privilege('kabari_app', 'one()', 'execute')")).toBe(
    false,
  );
  await folder.remove('domains/numbers/other.sql');
  await loadFunctions(owner, folder.path);
  expect(await oidOf(owner, 'one')).toBeUndefined();
});

test('a function with other parameters, or another result, replaces the former', async ({
  owner,
  folder,
}) => {
  await loadFunctions(owner, folder.path);
  await folder.write(ONE, one(1).replace('one() returns int', 'one(n int) returns int'));
  await loadFunctions(owner, folder.path);
  expect(await answer(owner, 'one(0)')).toBe(1);
  await expect(answer(owner, 'one()')).rejects.toThrow('function one() does not exist');
  await folder.write(ONE, one(1).replace('one() returns int', 'one(m int) returns text'));
  await loadFunctions(owner, folder.path);
  expect(await answer(owner, 'one(0)')).toBe('1');
});

test('creates a trigger with its function, and drops it with it', async ({ owner, folder }) => {
  await owner`create table pages (n int)`;
  const trigger = (n: number) => `
    create or replace function page() returns trigger language plpgsql as $$
    begin new.n := ${n}; return new; end $$;
    create or replace trigger page before insert on pages for each row execute function page();`;
  const inserted = async () => (await owner`insert into pages values (0) returning n`)[0]?.['n'];
  for (const n of [1, 2]) {
    await folder.write('domains/pages/page.sql', trigger(n));
    await loadFunctions(owner, folder.path);
    expect(await inserted()).toBe(n);
  }
  await folder.remove('domains/pages/page.sql');
  await loadFunctions(owner, folder.path);
  expect(await inserted()).toBe(0);
});

test('functions may call one another, in any order of their files', async ({ owner, folder }) => {
  await folder.write(
    'domains/a.sql',
    'create or replace function a() returns int language sql as $$ select one() $$;',
  );
  await loadFunctions(owner, folder.path);
  expect(await answer(owner, 'a()')).toBe(1);
});

const broken: Record<string, string> = {
  'does not parse': 'create or replace function two() returns int language plpgsql as $$ begin',
  'does not compile': one(2).replaceAll('one', 'two').replace('return 2', 'retrun 2'),
  'names what is not there':
    'create or replace function two() returns int language sql as $$ select three() $$;',
  'is made by another file too': one(2),
};

for (const [why, text] of Object.entries(broken)) {
  test(`a file whose function ${why} is named, and changes nothing`, async ({ owner, folder }) => {
    await loadFunctions(owner, folder.path);
    await folder.write(ONE, one(3));
    await folder.write('domains/numbers/two.sql', text);
    const refused: unknown = await loadFunctions(owner, folder.path).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ name: 'StartError' });
    expect(String(refused)).toContain('domains/numbers/two.sql');
    expect(await answer(owner, 'one()')).toBe(1);
    expect(await oidOf(owner, 'two')).toBeUndefined();
  });
}

test('nodes that start at the same time create each function once', async ({
  db,
  owner,
  folder,
}) => {
  await loadFunctions(owner, folder.path);
  await folder.write(ONE, one(2));
  const nodes = [1, 2, 3, 4].map(() => openDatabase(db.url, { max: 1, as: 'owner', name: 'f' }));
  const changes = await Promise.all(nodes.map((sql) => loadFunctions(sql, folder.path)));
  expect(changes.toSorted((a, b) => a.length - b.length)).toEqual([[], [], [], [ONE]]);
  expect(await answer(owner, 'one()')).toBe(2);
  await Promise.all(nodes.map((sql) => sql.end()));
});

test('of two versions on one database the last to start wins, and nodes do not reload', async ({
  owner,
  folder,
}) => {
  const newer = await openFolder();
  await newer.write(ONE, one(2));
  await newer.write('domains/numbers/two.sql', one(2).replaceAll('one', 'two'));
  for (const [version, result] of [
    [folder, 1],
    [newer, 2],
    [folder, 1],
  ] as const) {
    expect(await loadFunctions(owner, version.path)).toContain(ONE);
    expect(await loadFunctions(owner, version.path)).toEqual([]);
    expect(await answer(owner, 'one()')).toBe(result);
  }
  expect(await oidOf(owner, 'two')).toBeUndefined();
  await rm(newer.path, { recursive: true });
});

test('an older release that starts later keeps the functions of a newer one, and reports it', async ({
  owner,
  folder,
}) => {
  const newer = await openFolder();
  await newer.write(ONE, one(2));
  await newer.write('domains/numbers/two.sql', one(2).replaceAll('one', 'two'));
  const heard: string[] = [];
  const load = async ({ path }: Folder, release: string, lacks?: string) => {
    const rows = await owner<{ name: string }[]>`select name from migrations`;
    const migrations = rows.map(({ name }) => name).filter((name) => name !== lacks);
    return loadFunctions(owner, path, { migrations, release, onNewer: (by) => heard.push(by) });
  };
  expect(await load(folder, '1.9.0')).toEqual([ONE]);
  expect(await load(newer, '1.10.0')).toEqual([ONE, 'domains/numbers/two.sql']);
  expect(await load(folder, '1.9.0')).toEqual([]);
  expect([await answer(owner, 'one()'), await answer(owner, 'two()')]).toEqual([2, 2]);
  const [first] = await owner<{ name: string }[]>`select min(name) as name from migrations`;
  expect(await load(folder, '1.10.0', first?.name)).toEqual([]);
  expect(heard).toEqual(['1.10.0', first?.name]);
  expect(await load(folder, '1.10.0')).toEqual([ONE, 'domains/numbers/two.sql']);
  expect(await load(newer, '1.11.0')).toHaveLength(2);
  expect(heard).toHaveLength(2);
  await rm(newer.path, { recursive: true });
});

test('tests refuse a function that takes the first of several rows, or hides a variable', async ({
  db: { owner },
}) => {
  const make = (name: string, body: string) =>
    owner.query(`create function ${name}() returns int language plpgsql as $$
      declare a int; begin ${body} return a; end $$`);
  await make('first', 'select n into a from generate_series(1, 2) n;');
  await expect(owner.query('select first()')).rejects.toThrow('more than one row');
  await expect(make('hides', 'declare a int; begin null; end;')).rejects.toThrow('shadows');
});

test("the product's own schema gives an empty database the shape of the template", async ({
  db,
}) => {
  const server = join(import.meta.dirname, '../..');
  const unchanged = { migrations: [], functions: [], newer: undefined };
  expect(await updateSchema(db.owner, server)).toEqual(unchanged);
});

test('removes grants that the text no longer makes, and restores functions dropped by hand', async ({
  owner,
  folder,
}) => {
  const grants = async () => {
    const [row] = await owner<{ may: boolean }[]>`
      select has_function_privilege('kabari_app', 'one()', 'execute') as may`;
    return row?.may;
  };
  await folder.write(ONE, `${one(1)} grant execute on function one to kabari_app;`);
  await loadFunctions(owner, folder.path);
  expect(await grants()).toBe(true);
  await folder.write(ONE, one(1));
  await loadFunctions(owner, folder.path);
  expect(await grants()).toBe(false);
  await owner.query('drop function one()');
  expect(await loadFunctions(owner, folder.path)).toEqual([ONE]);
  expect(await answer(owner, 'one()')).toBe(1);
});

test('a changed function without revokes remains open to all roles', async ({ owner, folder }) => {
  const mayCall = async () => {
    const [row] = await owner<{ may: boolean }[]>`
      select has_function_privilege('kabari_app', 'one()', 'execute') as may`;
    return row?.may;
  };
  const open = (result: number) => one(result).replace(/revoke .*/, '');
  for (const result of [1, 2]) {
    await folder.write(ONE, open(result));
    await loadFunctions(owner, folder.path);
    expect(await mayCall()).toBe(true);
  }
});

test('recreates nothing for an address that sets another search_path', async ({
  db,
  owner,
  folder,
}) => {
  await loadFunctions(owner, folder.path);
  const url = new URL(db.url);
  url.searchParams.set('search_path', 'pg_catalog');
  const elsewhere = openDatabase(url.href, { max: 1, as: 'owner', name: 'tests' });
  expect(await loadFunctions(elsewhere, folder.path)).toEqual([]);
  await elsewhere.end();
});
