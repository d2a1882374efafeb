import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql, Tx } from './database.ts';
import { commandsOf } from './distribution/layout/commands.ts';
import { MIGRATION_LOCK, migrate } from './migrations.ts';
import { StartError } from '#server/infra/start-error.ts';

type SqlFile = { file: string; text: string; sha256: string };

/** `objects`: such as `function post_gl(uuid, …)` or `trigger topup_steps on topups`. */
type Known = { file: string; sha256: string; objects: string[]; release: string | null };

type SchemaObject = { name: string; version: string };

export type SchemaChanges = {
  migrations: string[];
  functions: string[];
  /** The migration or release that shows a newer version, whose functions were kept. */
  newer: string | undefined;
};

type Version = { migrations: readonly string[]; release: string | undefined };

/**
 * Migrations first, then functions and triggers.
 *
 * @param folder with `migrations/`, `infra/` and `domains/`.
 * @param release of the package; without it only migrations tell which version is newer.
 * @throws StartError like {@link migrate} and {@link loadFunctions}.
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
 * Creates the SQL functions and triggers from every `.sql` below `infra/` and `domains/`, where they are beside the
 * TypeScript of their owners. A file runs if its text has changed since the last run or its objects are missing; its
 * functions first lose their grants. Drops objects that no file creates any longer. All of it is one transaction,
 * under the lock of the migrations: a file that fails changes nothing.
 *
 * Rules: a file has the functions of one subject, each with its grants, and triggers that call them or are on its
 * owner's tables. Files run after all migrations, so no migration calls their functions. They run in the order of
 * their paths, `infra/` first. Bodies between `$$` may name later objects, because they are checked once all files
 * ran; a body of `return …` may name `infra/` only.
 *
 * Of two versions on one database, the newer one's functions remain: an older one that starts later, because it was
 * restarted during an upgrade, changes none. The newer version has more migrations, or the higher release; if both
 * are equal, as between two commits, the last to start wins. Each node checks once, at its start. Functions that
 * nodes of the previous version still call must keep working: a function whose parameters change keeps its former
 * signature for one release.
 *
 * @param sql a pool of the database's owner.
 * @param version of the starting node; without it no version is newer. `onNewer` receives the evidence of a newer
 *   one.
 * @returns the files whose functions were recreated or dropped.
 * @throws StartError with the file's name, if it fails or one of its functions does not compile.
 */
export async function loadFunctions(
  sql: Sql,
  folder: string,
  version?: Version & { onNewer: (name: string) => void },
): Promise<string[]> {
  const files = await readFiles(folder);
  return sql.begin(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    // Names depend on it, and an address may have set another.
    await tx.query('set local search_path = public; set local check_function_bodies = off');
    const known = await readKnown(tx);
    const newer = version && (await findNewer(tx, version, known));
    if (newer !== undefined) {
      version?.onNewer(newer);
      return [];
    }
    if (version) await rememberRelease(tx, version);
    const before = new Map(known.map((row) => [row.file, row]));
    const existing = await readSchemaObjects(tx);
    const isCurrent = (row: Known, sha256: string) =>
      row.sha256 === sha256 && row.objects.every((name) => existing.has(name));
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
    const objects = stale.flatMap((row) => row.objects).filter((name) => existing.has(name));
    await tx.query(`do $reset$ begin ${resetRights(objects)} end $reset$`);
    const made = await runFiles(tx, changed, {
      before,
      owners,
      existing: await readSchemaObjects(tx),
    });
    await dropStale(tx, stale, owners);
    await checkBodies(tx, owners);
    await remember(tx, { gone, changed, made });
    if (version) await rememberRelease(tx, version);
    return [...changed, ...gone].map(({ file }) => file).toSorted();
  });
}

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

const isLater = (one: string | null, other: string | undefined): boolean =>
  one !== null && other !== undefined && one.localeCompare(other, 'en', { numeric: true }) > 0;

const rememberRelease = (tx: Tx, { release = null }: { release?: string | null | undefined }) => tx`
  update schema_functions set release = ${release} where release is distinct from ${release}`;

const ownersOf = (known: readonly Known[]): Map<string, string> =>
  new Map(known.flatMap(({ file, objects }) => objects.map((name) => [name, file] as const)));

type Before = {
  before: ReadonlyMap<string, Known>;
  owners: Map<string, string>;
  existing: ReadonlyMap<string, string>;
};

async function runFiles(
  tx: Tx,
  files: readonly SqlFile[],
  { before, owners, existing: first }: Before,
): Promise<Map<string, string[]>> {
  const made = new Map<string, string[]>();
  let existing = first;
  for (const { file, text } of files) {
    const objects = (before.get(file)?.objects ?? []).filter(
      (name) => existing.has(name) && !owners.has(name),
    );
    await named(file, () => tx.query(runOnce(text, objects)));
    const now = await readSchemaObjects(tx);
    const names = [...now.keys()].filter((name) => existing.get(name) !== now.get(name));
    for (const name of names) {
      const other = owners.get(name);
      if (other !== undefined) throw new StartError(`Both ${other} and ${file} make the ${name}.`);
      owners.set(name, file);
    }
    made.set(file, names);
    existing = now;
  }
  return made;
}

/**
 * A file's text as one statement. If a function cannot be replaced (its result or the names of its parameters
 * changed, or its former signature makes a grant ambiguous), the file's former objects are dropped first.
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

/** One by one: a cluster propagates the text of the command that contains a trigger. */
const executing = (text: string): string =>
  commandsOf(text)
    .map((command) => `execute $text_of_file$${command}$text_of_file$;`)
    .join('\n    ');

/** Resets privileges to the defaults, so that grants missing in the new text disappear. */
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

/** Drops triggers before the functions that they call. */
const dropping = (objects: readonly string[]): string =>
  objects
    .toSorted((a, b) => b.localeCompare(a))
    .map((object) => `drop ${object.replace(/^(function|trigger) /, '$1 if exists ')};`)
    .join('\n');

async function readSchemaObjects(tx: Tx): Promise<Map<string, string>> {
  const rows = await tx<SchemaObject[]>`
    select 'function ' || oid::regprocedure as name, xmin || ' ' || ctid::text as version
    from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
    union all
    select format('trigger %I on %s', t.tgname, t.tgrelid::regclass), t.xmin || ' ' || t.ctid::text
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgparentid = 0`;
  return new Map(rows.map(({ name, version }) => [name, version]));
}

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

async function named(file: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`The SQL of ${file} failed: ${why}.`, { cause: error });
  }
}
