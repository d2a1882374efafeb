import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import {
  type Embedded,
  startEmbedded,
  findServer,
} from '#server/infra/embedded-postgres/embedded.ts';
import { placesIn } from '#server/infra/embedded-postgres/home.ts';
import { updateSchema } from '#server/infra/postgres/functions.ts';

export type BenchDatabase = {
  url: string;
  folder: string;
  postmaster: number;
  owner: Sql;
  allAccountsSql: Sql;
  /** Sees the account in `app.account`, as the acts do. */
  tenantSql: Sql;
  /** Closes the database and removes its folder, except a folder from `keptIn`. */
  close(): Promise<void>;
};

const serverFolder = join(import.meta.dirname, '../../src/server');

type BenchDatabaseOptions = {
  /** Whether to migrate it here; otherwise the caller does. */
  isMigrated?: boolean;
  /** Whether it counts statements. Counting costs time, so never when figures are compared. */
  countsStatements?: boolean;
  /** False for runs without timings: no flush, and 200 connections instead of 60. */
  isDurable?: boolean;
  /** A folder that is reused and never removed. */
  keptIn?: string | undefined;
};

export async function openBenchDatabase(
  connections: number,
  {
    isMigrated = true,
    countsStatements = false,
    isDurable = true,
    keptIn,
  }: BenchDatabaseOptions = {},
): Promise<BenchDatabase> {
  const folder = keptIn ?? (await mkdtemp(join(tmpdir(), 'kabari-bench-')));
  const server = await (countsStatements ? startCounting(folder) : startIn(folder, isDurable));
  const open = (as: 'tenant' | 'all accounts' | 'owner', max: number) =>
    openDatabase(server.url, { max, as, name: 'bench' });
  const owner = open('owner', 1);
  if (isMigrated) await updateSchema(owner, serverFolder);
  const [allAccountsSql, tenantSql] = [
    open('all accounts', connections),
    open('tenant', connections),
  ];
  return {
    url: server.url,
    folder,
    postmaster: findServer(placesIn(folder))?.pid ?? 0,
    owner,
    allAccountsSql,
    tenantSql,
    close: async () => {
      await Promise.all([owner, allAccountsSql, tenantSql].map((sql) => sql.end({ timeout: 1 })));
      await server.stop();
      if (keptIn === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

const startIn = (dataFolder: string, durable = true): Promise<Embedded> =>
  startEmbedded({ dataFolder, durable });

/** Starts the server twice: preloaded libraries are read at its start, and set by its superuser. */
async function startCounting(folder: string): Promise<Embedded> {
  const first = await startIn(folder);
  const superuser = openDatabase(first.superuserUrl, { max: 1, as: 'owner', name: 'bench' });
  await superuser.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await superuser.query(`alter system set pg_stat_statements.track = 'all'`);
  await superuser.end();
  await first.stop();
  const server = await startIn(folder);
  const { pathname } = new URL(server.url);
  const inside = Object.assign(new URL(server.superuserUrl), { pathname }).href;
  const sql = openDatabase(inside, { max: 1, as: 'owner', name: 'bench' });
  await sql.query('create extension pg_stat_statements');
  await sql.query('grant pg_read_all_stats to kabari');
  await sql.query(
    'grant execute on function pg_stat_statements_reset(oid, oid, bigint, boolean) to kabari',
  );
  await sql.end();
  return server;
}
