import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { startEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { updateSchema } from '#server/infra/postgres/functions.ts';

/** A migrated database of its own, on the settings that customers run. */
export type BenchDatabase = {
  url: string;
  /** Owns the tables: for filling them. */
  owner: Sql;
  /** Sees every account. */
  allAccountsSql: Sql;
  /** Sees the account that `app.account` names, as the acts do. */
  tenantSql: Sql;
  /** Ends the database and removes its folder. */
  close(): Promise<void>;
};

const serverFolder = join(import.meta.dirname, '../../src/server');

/** Starts a throw-away PostgreSQL in a temporary folder; migrates it unless whoever uses it does. */
export async function openBenchDatabase(
  connections: number,
  { isMigrated = true }: { isMigrated?: boolean } = {},
): Promise<BenchDatabase> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'kabari-bench-'));
  const server = await startEmbedded({ dataFolder });
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
    owner,
    allAccountsSql,
    tenantSql,
    close: async () => {
      await Promise.all([owner, allAccountsSql, tenantSql].map((sql) => sql.end({ timeout: 1 })));
      await server.stop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
