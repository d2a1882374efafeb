import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { startEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { isHeld } from '#server/infra/embedded-postgres/folder-lock.ts';
import { updateSchema } from '#server/infra/postgres/functions.ts';
import { type ClusterTemplate, dropClones, makeClusterTemplate } from './cluster.ts';
import { fastFolder } from './fast-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The run's own PostgreSQL, as superuser, with the migrated database `kabari` to clone. */
    databaseServer: string;
    cluster: ClusterTemplate | undefined;
  }
}

const serverFolder = join(import.meta.dirname, '../../../src/server');

const prefix = 'kabari-test-';

async function sweep(where: string): Promise<void> {
  for (const name of await readdir(where)) {
    const folder = join(where, name);
    if (!name.startsWith(prefix) || isHeld(folder)) continue;
    const young = Date.now() - (await stat(folder)).mtimeMs < 60_000;
    if (young) continue;
    const left = await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number(left.split('\n')[0]);
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(folder)) process.kill(pid, 'SIGQUIT');
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Makes errors of what PL/pgSQL does silently: a variable that hides another, a row that has more or fewer columns than
 * its variables, and the first of several rows.
 */
async function refuseDoubtfulSql(superuserUrl: string): Promise<void> {
  const superuser = openDatabase(superuserUrl, { max: 1, as: 'owner', name: 'settings' });
  await superuser.query(`load 'plpgsql'`);
  await superuser.query(`alter system set plpgsql.extra_errors = 'all'`);
  await superuser.query('select pg_reload_conf()');
  await superuser.end();
}

/** A real PostgreSQL for the whole run, in a temporary folder. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const where = fastFolder();
  await sweep(where).catch(() => undefined);
  const dataFolder = await mkdtemp(join(where, prefix));
  const server = await startEmbedded({ dataFolder, durable: false });
  await refuseDoubtfulSql(server.superuserUrl);
  const owner = openDatabase(server.url, { max: 1, as: 'owner', name: 'template' });
  await updateSchema(owner, serverFolder);
  await owner.end();
  project.provide('databaseServer', server.superuserUrl);
  const citusUrl = process.env['CITUS_URL'];
  const cluster =
    citusUrl === undefined ? undefined : await makeClusterTemplate(citusUrl, serverFolder);
  project.provide('cluster', cluster);
  const end = async () => {
    if (cluster) await dropClones(cluster);
    await server.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
  process.once('SIGTERM', () => {
    void end().finally(() => process.exit(143));
  });
  return end;
}
