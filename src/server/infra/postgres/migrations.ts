import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sql, type Tx, isLocked } from './database.ts';
import { runMigration } from './distribution/layout/commands.ts';
import { StartError } from '#server/infra/start-error.ts';
import { ROLES } from './driver/client.ts';

/** The advisory lock of schema changes; the number is arbitrary but the same on every node. */
export const MIGRATION_LOCK = 7_205_759_403;

type Migration = { name: string; text: string; sha256: string };

/** An applied migration; `contracts`: the one whose change it completes. */
type Applied = { name: string; sha256: string; contracts: string | null };

/**
 * Brings the tables to the newest schema: applies the files `NNNN_name.sql` of a folder that the database has not
 * seen, in order, each in a transaction. Concurrent starts take turns.
 *
 * Migrations only go forward: an applied file is never edited, renamed or removed, and only a backup leads to the
 * previous schema. Later changes are a new file with the next number. Migrations hold tables, indexes, policies,
 * grants and data; functions and triggers are loaded afterwards from beside the code that calls them, so no migration
 * calls one.
 *
 * A version may start on a database that a newer one has migrated, so that its nodes can be restarted during an
 * upgrade: additions are harmless. A migration that removes something has a line `-- contract: NNNN_name` with the
 * migration that added the replacement; versions without that one are refused.
 *
 * @param sql a pool of the database's owner.
 * @returns the names applied now.
 * @throws StartError if an applied file was changed, or is missing here and cannot be skipped, if one fails, if a
 *   version before 1.0.0 created the database, or if the application's role is missing and the owner may not create
 *   it.
 */
export async function migrate(sql: Sql, folder: string): Promise<string[]> {
  const migrations = await readMigrations(folder);
  await ensureAppRoles(sql);
  const applied: string[] = [];
  for (;;) {
    const name = await retryWhileLocked(() => sql.begin((tx) => applyNext(tx, migrations)));
    if (name === undefined) return applied;
    applied.push(name);
  }
}

/** Shorter than the application's own wait for a lock, so that its work continues in between. */
const LOCK_WAIT = '2s';
const LOCK_TRIES = 300;
const LOCK_PAUSE_MS = 1_000;

const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '40P01';

/** Retries for some fifteen minutes while others, such as a long reader, hold locks. */
async function retryWhileLocked<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof StartError ? error.cause : error;
      if (tried >= LOCK_TRIES || !(isLocked(cause) || isDeadlock(cause))) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
    }
  }
}

/**
 * @returns migrations that the database has not seen, and those it has that are not in the folder.
 * @throws StartError if a version before 1.0.0 created the database.
 */
export async function compareMigrations(
  owner: Sql,
  folder: string,
): Promise<{ waiting: string[]; unknown: string[] }> {
  const [table] = await owner<{ there: boolean }[]>`
    select to_regclass('public.migrations') is not null as there`;
  const known = table?.there ? await owner<{ name: string }[]>`select name from migrations` : [];
  const applied = new Set(known.map(({ name }) => name));
  refuseBefore10([...applied]);
  const here = new Set((await readMigrations(folder)).map(({ name }) => name));
  return {
    waiting: [...here].filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !here.has(name)),
  };
}

/** Applies the first pending migration under the lock. @returns its name, or undefined if none is pending. */
async function applyNext(tx: Tx, migrations: readonly Migration[]): Promise<string | undefined> {
  await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
  await prepare(tx);
  const known = await tx<Applied[]>`
    select name, sha256, contracts from migrations order by name`;
  refuseBefore10(known.map(({ name }) => name));
  refuseUnfit(migrations, known);
  const next = migrations[known.length];
  if (!next) return undefined;
  try {
    await tx.query(`set local lock_timeout = '${LOCK_WAIT}'`);
    await runMigration(tx, next.text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`The migration ${next.name} failed: ${why}.`, { cause: error });
  }
  await tx`
    insert into migrations (name, sha256, contracts)
    values (${next.name}, ${next.sha256}, ${contractOf(next.text) ?? null})`;
  return next.name;
}

/** The migration whose change a migration completes, by removing what it has replaced. */
export const contractOf = (text: string): string | undefined => {
  const name = /^-- contract: (\d{4}_\w+)\b/m.exec(text)?.[1];
  return name === undefined ? undefined : `${name}.sql`;
};

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

async function prepare(tx: Tx): Promise<void> {
  await tx.query(`
    create table if not exists migrations (
      name       text primary key,
      sha256     text not null,
      applied_at timestamptz not null default clock_timestamp(),
      contracts  text
    )`);
}

/** The first migrations of versions before 1.0.0, whose migrations became one baseline. */
const FIRST_BEFORE_1_0 = ['0001_house.sql', '0001_foundation.sql'];

/** @throws StartError if a version before 1.0.0, never released, created the database. */
function refuseBefore10(known: readonly string[]): void {
  if (!FIRST_BEFORE_1_0.some((name) => known.includes(name))) return;
  throw new StartError(
    'This database was made by a version before 1.0.0 and cannot be taken over; begin with an empty one: move the data folder aside or set KABARI_DATA to a new, empty folder (with DATABASE_URL: name a new, empty database), then start again.',
  );
}

/** Migrations only go forward: applied ones must be present, unchanged and in order. */
function refuseUnfit(migrations: readonly Migration[], applied: readonly Applied[]): void {
  const ours = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  const newest = migrations.at(-1)?.name ?? '';
  for (const { name, sha256, contracts } of applied) {
    const own = ours.get(name);
    if (own === undefined && (name < newest || (contracts !== null && !ours.has(contracts)))) {
      throw new StartError(
        `The database knows the migration ${name} and this version does not; start the newer version.`,
      );
    }
    if (own !== undefined && own !== sha256) {
      throw new StartError(
        `The migration ${name} was changed after it was applied; undo the change and write a new one.`,
      );
    }
  }
  const known = new Set(applied.map(({ name }) => name));
  const late = migrations.slice(0, known.size).find(({ name }) => !known.has(name));
  if (late) {
    throw new StartError(
      `The migration ${late.name} comes before one already applied; give it the next number.`,
    );
  }
}

const ONE = ROLES.tenant;
const ALL = ROLES['all accounts'];

type Facts = {
  owner: string;
  /** The end of a grant that lets the owner work as a role: ` WITH SET TRUE` from PostgreSQL 16 on. */
  granting: string;
  hasOne: boolean;
  hasAll: boolean;
  isMember: boolean;
  isGranted: boolean;
};

/**
 * Creates and grants the roles `kabari_app` (one account) and `kabari_all` (a member that sees all) if the owner may.
 * Otherwise an administrator has to; the owner needs no such right then.
 *
 * @throws StartError with the statements an administrator has to run.
 */
async function ensureAppRoles(owner: Sql): Promise<void> {
  // Each may fail for lack of privileges, or because another node was faster: the final check decides.
  for (const statement of missingOf(await look(owner))) {
    await owner.query(statement).catch(() => undefined);
  }
  const facts = await look(owner);
  const missing = missingOf(facts);
  if (missing.length === 0) return;
  throw new StartError(
    `The role ${facts.owner} may not make or work as the roles ${ONE} and ${ALL}, which Kabari works as; ` +
      `run this as an administrator of the database, then start again: ${missing.map((one) => `${one};`).join(' ')}`,
  );
}

function missingOf({ owner, granting, hasOne, hasAll, isMember, isGranted }: Facts): string[] {
  return [
    ...(hasOne ? [] : [`CREATE ROLE ${ONE} NOLOGIN`]),
    ...(hasAll ? [] : [`CREATE ROLE ${ALL} NOLOGIN`]),
    ...(isMember ? [] : [`GRANT ${ONE} TO ${ALL}`]),
    ...(isGranted ? [] : [`GRANT ${ONE}, ${ALL} TO ${owner}${granting}`]),
  ];
}

async function look(owner: Sql): Promise<Facts> {
  // From 16 on, membership alone does not allow SET ROLE.
  const [facts] = await owner<Facts[]>`
    with here as (
      select case when current_setting('server_version_num')::int >= 160000
          then 'SET' else 'MEMBER' end as working
    ), role as (
      select (select oid from pg_roles where rolname = ${ONE}) as one,
        (select oid from pg_roles where rolname = ${ALL}) as everybody
    )
    select quote_ident(current_user) as owner, one is not null as "hasOne",
      everybody is not null as "hasAll",
      case working when 'SET' then ' WITH SET TRUE' else '' end as granting,
      coalesce(pg_has_role(everybody, one, 'USAGE'), false) as "isMember",
      coalesce(pg_has_role(one, working) and pg_has_role(everybody, working), false) as "isGranted"
    from here, role`;
  if (!facts) throw new Error('the database answers nothing');
  return facts;
}
