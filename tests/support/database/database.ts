import { randomBytes } from 'node:crypto';
import { inject, test as base } from 'vitest';
import { cloneCluster } from './cluster.ts';
import { type Sql, createSql, openDatabase, runnerOf } from '#server/infra/postgres/database.ts';

export type TestDatabase = {
  /** Sees every account. */
  allAccountsSql: Sql;
  /** Sees the account in `app.account`. */
  tenantSql: Sql;
  /** Owns the tables; for changes reserved to migrations. */
  owner: Sql;
  url: string;
  /** Address for an application started by the test: on a cluster, the coordinator's. */
  wholeUrl: string;
  /** The same address with an installation's timeouts, for tests of them. */
  impatientUrl: string;
};

/** Timeouts that end a hang, but survive pauses of the machine. */
const PATIENT = '?connect_timeout=60&options=-c%20statement_timeout%3D60000';

/**
 * Clones the migrated template; `drop` ends the clone's remaining connections.
 * @param template another one: `template0` for an empty database.
 */
export async function makeDatabase(
  template = 'kabari',
): Promise<{ db: TestDatabase; drop: () => Promise<void> }> {
  const cluster = inject('cluster');
  if (cluster && template === 'kabari') {
    const { bucket, coordinator } = await cloneCluster(cluster);
    return openClone({ url: bucket, wholeUrl: coordinator, impatientUrl: bucket });
  }
  const server = inject('databaseServer');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const superuser = openDatabase(server, { max: 1, as: 'owner', name: 'tests' });
  await superuser.query(
    `create database ${name} template ${template} strategy file_copy owner kabari`,
  );
  const address = new URL(server);
  address.username = 'kabari';
  address.pathname = `/${name}`;
  const urlWithTimeouts = address.href;
  address.search = PATIENT;
  const url = address.href;
  const { db, drop: close } = openClone({ url, wholeUrl: url, impatientUrl: urlWithTimeouts });
  const drop = async () => {
    await close();
    await allGone(superuser, name);
    await superuser.query(`drop database ${name} with (force)`);
    await superuser.end();
  };
  return { db, drop };
}

function openClone(addresses: Pick<TestDatabase, 'url' | 'wholeUrl' | 'impatientUrl'>): {
  db: TestDatabase;
  drop: () => Promise<void>;
} {
  const { url } = addresses;
  const db: TestDatabase = {
    allAccountsSql: openDatabase(url, { max: 4, as: 'all accounts', name: 'tests' }),
    tenantSql: openDatabase(url, { max: 4, as: 'tenant', name: 'tests' }),
    owner: openDatabase(url, { max: 1, as: 'owner', name: 'tests' }),
    ...addresses,
  };
  const drop = async () => {
    await Promise.all(
      [db.allAccountsSql, db.tenantSql, db.owner].map((sql) => sql.end({ timeout: 1 })),
    );
  };
  return { db, drop };
}

const LEAVING_LOOKS_MAX = 100;

/**
 * Waits a moment until closed connections leave the server: a drop before that waits a tenth of a second for them. The
 * drop itself ends connections that a test left open.
 */
async function allGone(superuser: Sql, name: string): Promise<void> {
  for (let looks = 0; looks < LEAVING_LOOKS_MAX; looks++) {
    const left = await superuser`
      select pg_sleep(0.001) from pg_stat_activity where datname = ${name}`;
    if (left.length === 0) return;
  }
}

type Table = { name: string; isLarge: boolean };
type Seeds = { name: string; rows: string };

/** A worker's clone between two tests. A new clone costs 100 ms of CPU with its connections, emptying this one 5. */
type Kept = {
  db: TestDatabase;
  drop: () => Promise<void>;
  superuser: Sql;
  /** Tables that the template fills, with their rows as JSON. */
  seeds: readonly Seeds[];
  before: string;
};

let kept: Kept | undefined;

/**
 * Lends a database equal to the template. After the test its rows are deleted, and the next test gets it again; but not
 * if the test changed the schema, the statistics or the settings, or left work, transactions or connections behind.
 */
async function borrowDatabase(): Promise<{ db: TestDatabase; back: () => Promise<void> }> {
  const free = kept;
  kept = undefined;
  const one = free ?? (await keepDatabase());
  let isOver = false;
  let hasEnded = false;
  let underWay = 0;
  const counted = async <T>(work: () => PromiseLike<T>): Promise<T> => {
    if (isOver) throw new Error('the test is over');
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
    }
  };
  const lent = (sql: Sql): Sql => {
    const runner = runnerOf(sql);
    return createSql({
      ...runner,
      run: (compiled) => counted(() => runner.run(compiled)),
      transact: (work, options) => counted(() => runner.transact(work, options)),
      end: async (options) => {
        hasEnded = true;
        await runner.end(options);
      },
    });
  };
  const db = {
    ...one.db,
    allAccountsSql: lent(one.db.allAccountsSql),
    tenantSql: lent(one.db.tenantSql),
    owner: lent(one.db.owner),
  };
  const back = async () => {
    isOver = true;
    if (
      !hasEnded &&
      (await isQuiet(one, () => underWay === 0)) &&
      (await restore(one).catch(() => false)) &&
      !kept
    ) {
      kept = one;
      return;
    }
    await one.superuser.end();
    await one.drop();
  };
  return { db, back };
}

async function keepDatabase(): Promise<Kept> {
  const { db, drop } = await makeDatabase();
  const address = new URL(db.url);
  address.username = 'postgres';
  const superuser = openDatabase(address.href, { max: 1, as: 'owner', name: 'keeper' });
  const tables = await superuser.query<{ name: string }[]>(`
    select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace in ${ours}`);
  const seeds: Seeds[] = [];
  for (const { name } of tables) {
    const [{ rows } = { rows: null }] = await superuser.query<{ rows: string | null }[]>(
      `select json_agg(t)::text as rows from ${name} t`,
    );
    if (rows !== null) seeds.push({ name, rows });
  }
  const empty = tables.filter(({ name }) => !seeds.some((one) => one.name === name));
  await superuser.query(`prepare filled as ${empty.map(filledTable).join(' union all ')}`);
  await superuser.query(
    `prepare state as select concat_ws(';', ${[...seeds.map(hash), ...shape].join(', ')}) as state`,
  );
  return { db, drop, superuser, seeds, before: await stateOf(superuser) };
}

const LARGE_BYTES = 65_536;

const filledTable = ({ name }: { name: string }) => `
  select '${name}' as name, pg_relation_size('${name}') > ${LARGE_BYTES} as "isLarge"
  where exists (select from ${name})`;

const hash = ({ name }: Seeds) => `(select md5(json_agg(t)::text) from ${name} t)`;

const ours = `(select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')`;
const here = 'datname = current_database()';
const written = (catalog: string) =>
  `(select concat_ws(',', count(*), max(xmin::text::bigint)) from ${catalog})`;

/** Changes of a test other than to rows. */
const shape = [
  `(select md5(string_agg(concat_ws(',', oid, relname, relowner, relacl, reloptions, relrowsecurity,
      relforcerowsecurity, relpersistence, reltuples), ';' order by oid))
    from pg_class where relnamespace in ${ours})`,
  `(select concat_ws(',', datdba, datacl, datconnlimit, datallowconn) from pg_database where ${here})`,
  ...[
    'pg_attribute',
    'pg_attrdef',
    'pg_constraint',
    'pg_index',
    'pg_namespace',
    'pg_proc',
    'pg_policy',
  ].map(written),
  ...['pg_extension', 'pg_publication', 'pg_rewrite', 'pg_trigger', 'pg_type'].map(written),
  '(select count(*) from pg_statistic)',
  `(select count(*) from pg_db_role_setting where setdatabase = (select oid from pg_database where ${here}))`,
];

async function stateOf(superuser: Sql): Promise<string> {
  const [row] = await superuser.query<{ state: string }[]>('execute state');
  return row?.state ?? '';
}

/** Deletes what the test wrote. @returns whether the database then equals the template. */
async function restore({ superuser, seeds, before }: Kept): Promise<boolean> {
  const filled = await superuser.query<Table[]>('execute filled');
  if (filled.length > 0) await superuser.query(script(filled.map(emptied)));
  let state = await stateOf(superuser);
  if (state === before) return true;
  await superuser.query(script(seeds.map(filledAgain)));
  state = await stateOf(superuser);
  return state === before;
}

const emptied = ({ name, isLarge }: Table) =>
  isLarge ? `truncate ${name} cascade` : `delete from ${name}`;

const filledAgain = ({ name, rows }: Seeds) => `
  delete from ${name};
  insert into ${name} overriding system value
    select * from json_populate_recordset(null::${name}, '${rows.replaceAll("'", "''")}')`;

/** Without triggers and foreign keys. */
const script = (statements: readonly string[]) => `
  begin;
  set local session_replication_role = replica;
  set local lock_timeout = '2s';
  ${statements.join(';\n')};
  commit`;

/** True once only idle connections of the test's pools are left, and no work waits for one. */
async function isQuiet({ superuser }: Kept, isIdle: () => boolean): Promise<boolean> {
  for (let looks = 0; looks < LEAVING_LOOKS_MAX; looks++) {
    const busy = await superuser`
      select pg_sleep(0.001) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
        and (state <> 'idle' or application_name <> 'kabari tests')`;
    if (busy.length === 0 && isIdle()) return true;
  }
  return false;
}

/** `sql` sees every account, `db` has the other views. A test that uses neither creates none. */
export const test = base.extend<{ db: TestDatabase; sql: Sql }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  db: async ({}, use) => {
    const { db, back } = await borrowDatabase();
    await use(db);
    await back();
  },
  sql: async ({ db }: { db: TestDatabase }, use: (sql: Sql) => Promise<void>) => {
    await use(db.allAccountsSql);
  },
});
