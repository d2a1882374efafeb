import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql, Tx } from './database.ts';
import { commandsOf } from './distribution/layout/commands.ts';
import { MIGRATION_LOCK, migrate } from './migrations.ts';
import { StartError } from '#server/infra/start-error.ts';

type SqlFile = { file: string; text: string; sha256: string };

/** What a file has made: `function post_gl(uuid, …)`, `trigger topup_steps on topups`. */
type Known = { file: string; sha256: string; objects: string[]; release: string | null };

/** A function or a trigger as it stands; `version` is another one after every change. */
type Standing = { name: string; version: string };

export type SchemaChanges = {
  /** The migrations applied now. */
  migrations: string[];
  /** The files whose functions were created anew, or dropped, now. */
  functions: string[];
  /** The migration or the release by which a newer version is known, whose functions were left as they are. */
  newer: string | undefined;
};

/** What tells an older version from a newer one. */
type Version = { migrations: readonly string[]; release: string | undefined };

/**
 * Brings a database to the present shape: tables by the migrations, then functions and triggers.
 *
 * @param folder the server's, in which `migrations/`, `infra/` and `domains/` lie.
 * @param release the version of the package; without it only migrations say who is newer.
 * @throws StartError as {@link migrate} and {@link loadFunctions} do.
 */
export async function updateSchema(
  sql: Sql,
  folder: string,
  release?: string,
): Promise<SchemaChanges> {
  const migrations = await migrate(sql, join(folder, 'migrations'));
  const version = { migrations: await readdir(join(folder, 'migrations')), release };
  let newer: string | undefined;
  const functions = await loadFunctions(sql, folder, {
    ...version,
    onNewer: (name) => (newer = name),
  });
  return { migrations, functions, newer };
}

/**
 * Creates the SQL functions and triggers that stand beside the TypeScript of their owners: every `.sql` below
 * `infra/` and `domains/`. A file is run when its text is another than the one that ran last, or what it
 * made is gone, without the grants its functions had; what it
 * made before and makes no more is dropped, and so is what files made that are gone. All of it is one
 * transaction, under the lock of the migrations: a file that fails leaves everything as it was.
 *
 * The rules that this rests on:
 * - A file holds the functions of one subject, each with its grants, and triggers that call them or stand on
 *   the tables of its owner. It is run after all migrations, so no migration calls a function of a file.
 * - Files run in the order of their paths, `infra/` first. Bodies between `$$` may name what comes later
 *   (they are checked once all files ran); a body of `return …` may name `infra/` only.
 *
 * Of two versions on one database, the newer one's functions stand: an older one that starts later, because it was
 * restarted during an upgrade, leaves them all as they are. Newer is who knows more migrations, or has the
 * higher release; where both are the same, as between two commits, the one that starts last wins. Each node
 * looks once, at its start. What nodes of the version before still call must go on working while they run: a
 * function whose parameters change therefore keeps its former signature for one release.
 *
 * @param sql a pool of the database's owner.
 * @param version of whoever starts; without it nobody is newer. `onNewer` hears by what the newer one is known.
 * @returns the files whose functions were created anew, or dropped.
 * @throws StartError that names the file, when one fails or a function of it does not compile.
 */
export async function loadFunctions(
  sql: Sql,
  folder: string,
  version?: Version & { onNewer: (name: string) => void },
): Promise<string[]> {
  const files = await readFiles(folder);
  return sql.begin(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    // Names are read and written by it: an address may have set another.
    await tx.query('set local search_path = public; set local check_function_bodies = off');
    const known = await readKnown(tx);
    const newer = version && (await findNewer(tx, version, known));
    if (newer !== undefined) {
      version?.onNewer(newer);
      return [];
    }
    if (version) await rememberRelease(tx, version);
    const before = new Map(known.map((row) => [row.file, row]));
    const standing = await readStanding(tx);
    const isCurrent = (row: Known, sha256: string) =>
      row.sha256 === sha256 && row.objects.every((name) => standing.has(name));
    const changed = files.filter(({ file, sha256 }) => {
      const row = before.get(file);
      return !row || !isCurrent(row, sha256);
    });
    const present = new Set(files.map(({ file }) => file));
    const gone = known.filter(({ file }) => !present.has(file));
    if (changed.length === 0 && gone.length === 0) return [];
    const stale = [...gone, ...changed.flatMap(({ file }) => before.get(file) ?? [])];
    const owners = ownersOf(known.filter((row) => !stale.includes(row)));
    // Before any file runs: a function may have moved to another file.
    const objects = stale.flatMap((row) => row.objects).filter((name) => standing.has(name));
    await tx.query(`do $reset$ begin ${resetRights(objects)} end $reset$`);
    const made = await runFiles(tx, changed, { before, owners, standing: await readStanding(tx) });
    await dropStale(tx, stale, owners);
    await checkBodies(tx, owners);
    await remember(tx, { gone, changed, made });
    if (version) await rememberRelease(tx, version);
    return [...changed, ...gone].map(({ file }) => file).toSorted();
  });
}

/** Every `.sql` of the server but the migrations, in the order in which they run. */
async function readFiles(folder: string): Promise<SqlFile[]> {
  const files: SqlFile[] = [];
  for (const part of ['infra', 'domains']) {
    const found = await readdir(join(folder, part), { recursive: true }).catch(() => []);
    const names = found.filter((name) => name.endsWith('.sql')).map((name) => `${part}/${name}`);
    for (const name of names.map((path) => path.replaceAll('\\', '/')).toSorted()) {
      const text = await readFile(join(folder, name), 'utf8');
      files.push({ file: name, text, sha256: createHash('sha256').update(text).digest('hex') });
    }
  }
  return files;
}

async function readKnown(tx: Tx): Promise<Known[]> {
  await tx.query(`
    create table if not exists schema_functions (
      file        text primary key,
      sha256      text not null,
      objects     text[] not null,
      created_at  timestamptz not null default clock_timestamp(),
      release     text
    )`);
  return tx<Known[]>`select file, sha256, objects, release from schema_functions order by file`;
}

/** The migration, or the release, by which the functions that stand are those of a newer version. */
async function findNewer(
  tx: Tx,
  { migrations, release }: Version,
  known: readonly Known[],
): Promise<string | undefined> {
  const applied = await tx<{ name: string }[]>`select name from migrations order by name`;
  const unknown = applied.find(({ name }) => !migrations.includes(name));
  const later = known.find(({ release: theirs }) => isLater(theirs, release));
  return unknown?.name ?? later?.release ?? undefined;
}

/** Whether a release such as 1.10.0 comes after another. */
const isLater = (one: string | null, other: string | undefined): boolean =>
  one !== null && other !== undefined && one.localeCompare(other, 'en', { numeric: true }) > 0;

const rememberRelease = (tx: Tx, { release = null }: { release?: string | null | undefined }) => tx`
  update schema_functions set release = ${release} where release is distinct from ${release}`;

/** Which file made what, of the files that stay as they are. */
const ownersOf = (known: readonly Known[]): Map<string, string> =>
  new Map(known.flatMap(({ file, objects }) => objects.map((name) => [name, file] as const)));

type Before = {
  before: ReadonlyMap<string, Known>;
  /** What the files made is added here. */
  owners: Map<string, string>;
  /** What there is before the first of them. */
  standing: ReadonlyMap<string, string>;
};

/** Runs the files one by one; what each of them made, or made anew. */
async function runFiles(
  tx: Tx,
  files: readonly SqlFile[],
  { before, owners, standing: first }: Before,
): Promise<Map<string, string[]>> {
  const made = new Map<string, string[]>();
  let standing = first;
  for (const { file, text } of files) {
    // A function may have moved to a file that ran before this one.
    const objects = (before.get(file)?.objects ?? []).filter(
      (name) => standing.has(name) && !owners.has(name),
    );
    await named(file, () => tx.query(runOnce(text, objects)));
    const now = await readStanding(tx);
    const names = [...now.keys()].filter((name) => standing.get(name) !== now.get(name));
    for (const name of names) {
      const other = owners.get(name);
      if (other !== undefined) throw new StartError(`Both ${other} and ${file} make the ${name}.`);
      owners.set(name, file);
    }
    made.set(file, names);
    standing = now;
  }
  return made;
}

/**
 * A file's text as one statement. Where a function cannot be replaced as it is (its result or the names of
 * its parameters changed, or its former signature makes a grant ambiguous), what the file made before is
 * dropped first.
 */
const runOnce = (text: string, objects: readonly string[]): string => `
  do $run_file$
  begin
    ${executing(text)}
  exception when invalid_function_definition or ambiguous_function or wrong_object_type then
    ${dropping(objects)}
    ${executing(text)}
  end
  $run_file$`;

/** One by one: a distributed database hands a trigger on by the text in which it found it. */
const executing = (text: string): string =>
  commandsOf(text)
    .map((command) => `execute $text_of_file$${command}$text_of_file$;`)
    .join('\n    ');

/** The rights of a function that was just created: grants that the new text does not make are gone with the old one. */
const resetRights = (objects: readonly string[]): string =>
  objects
    .filter((object) => object.startsWith('function '))
    .map(
      (object) => `
    grant execute on ${object} to public;
    if exists (select from pg_roles where rolname = 'kabari_app') then
      revoke all on ${object} from kabari_app;
    end if;`,
    )
    .join('');

/** Triggers go before the functions they call. */
const dropping = (objects: readonly string[]): string =>
  objects
    .toSorted((a, b) => b.localeCompare(a))
    .map((object) => `drop ${object.replace(/^(function|trigger) /, '$1 if exists ')};`)
    .join('\n');

/** All functions and triggers of the schema, by name. */
async function readStanding(tx: Tx): Promise<Map<string, string>> {
  const rows = await tx<Standing[]>`
    select 'function ' || oid::regprocedure as name, xmin || ' ' || ctid::text as version
    from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
    union all
    select format('trigger %I on %s', t.tgname, t.tgrelid::regclass), t.xmin || ' ' || t.ctid::text
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgparentid = 0`;
  return new Map(rows.map(({ name, version }) => [name, version]));
}

/** Drops what was made before and is made no more by any file. */
async function dropStale(
  tx: Tx,
  stale: readonly Known[],
  owners: ReadonlyMap<string, string>,
): Promise<void> {
  for (const { file, objects } of stale) {
    const left = objects.filter((name) => !owners.has(name));
    if (left.length > 0) await named(file, () => tx.query(dropping(left)));
  }
}

type Body = { name: string; validator: string };

/** Compiles every function of the files, now that all of them stand. */
async function checkBodies(tx: Tx, owners: ReadonlyMap<string, string>): Promise<void> {
  await tx.query('set local check_function_bodies = on');
  const bodies = await tx<Body[]>`
    select 'function ' || p.oid::regprocedure as name,
      format('select %s(%s::oid)', l.lanvalidator::regproc, p.oid) as validator
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and l.lanvalidator <> 0`;
  for (const { name, validator } of bodies) {
    const file = owners.get(name);
    if (file !== undefined) await named(file, () => tx.query(validator));
  }
}

type Outcome = {
  gone: readonly Known[];
  changed: readonly SqlFile[];
  made: ReadonlyMap<string, string[]>;
};

async function remember(tx: Tx, { gone, changed, made }: Outcome): Promise<void> {
  for (const { file } of gone) await tx`delete from schema_functions where file = ${file}`;
  for (const { file, sha256 } of changed) {
    await tx`
      insert into schema_functions (file, sha256, objects)
      values (${file}, ${sha256}, ${made.get(file) ?? []}::text[])
      on conflict (file) do update set sha256 = excluded.sha256, objects = excluded.objects,
        created_at = excluded.created_at`;
  }
}

/** Does something for a file; when that fails, the sentence says for which. */
async function named(file: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`The SQL of ${file} failed: ${why}.`, { cause: error });
  }
}
