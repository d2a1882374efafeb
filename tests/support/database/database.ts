import { randomBytes } from 'node:crypto';
import { inject, test as base } from 'vitest';
import { cloneCluster } from './cluster.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';

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

const LEAVING_LOOKS_MAX = 50;

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

/** `sql` sees every account, `db` has the other views. A test that uses neither creates none. */
export const test = base.extend<{ db: TestDatabase; sql: Sql }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  db: async ({}, use) => {
    const { db, drop } = await makeDatabase();
    await use(db);
    await drop();
  },
  sql: async ({ db }: { db: TestDatabase }, use: (sql: Sql) => Promise<void>) => {
    await use(db.allAccountsSql);
  },
});
