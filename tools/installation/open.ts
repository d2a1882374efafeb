import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '#server/infra/config.ts';
import { withTargetSession } from '#server/infra/postgres/address.ts';
import { readDatabaseFacts } from '#server/infra/postgres/check.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { defaultDataFolder } from '#server/infra/embedded-postgres/home.ts';
import { runningEmbedded, startEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { detectTopology } from '#server/infra/postgres/distribution/pools.ts';
import { StartError } from '#server/infra/start-error.ts';

export type Installation = {
  allAccountsSql: Sql;
  url: string;
  close: () => Promise<void>;
};

export const dataFolderOf = ({ KABARI_DATA }: Pick<Config, 'KABARI_DATA'>): string =>
  resolve(KABARI_DATA ?? defaultDataFolder());

/** A pool of the application. @throws StartError that says why the address does not answer. */
async function reach(url: string, name: string): Promise<Installation> {
  const looking = openDatabase(url, { max: 1, as: 'all accounts', name });
  try {
    await readDatabaseFacts(looking);
  } finally {
    await looking.end({ timeout: 1 });
  }
  const place = await detectTopology(url);
  const allAccountsSql = place.open({ max: 1, as: 'all accounts', name });
  const close = async () => {
    await allAccountsSql.end({ timeout: 1 });
    await place.close();
  };
  return { allAccountsSql, url, close };
}

/**
 * The database of this installation: DATABASE_URL's, the running application's, or a temporarily started one.
 *
 * @param name the name of its connections.
 * @throws StartError when there is none, or it does not answer.
 */
export async function openInstallation(config: Config, name: string): Promise<Installation> {
  if (config.DATABASE_URL !== undefined) {
    return reach(withTargetSession(config.DATABASE_URL, 'read-write'), name);
  }
  const folder = dataFolderOf(config);
  if (!existsSync(join(folder, 'postgres', 'PG_VERSION'))) {
    throw new StartError(`There is no database in ${folder} yet; npm start makes it.`);
  }
  const url = runningEmbedded(folder);
  const running = url === undefined ? undefined : await reach(url, name).catch(() => undefined);
  if (running) return running;
  const server = await startEmbedded({ dataFolder: folder });
  const opened = await reach(server.url, name).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  const close = async () => {
    await opened.close();
    await server.stop();
  };
  return { ...opened, close };
}

/** Runs work on the installation's database, and leaves it as found: running, or not. */
export async function withInstallation<T>(
  config: Config,
  name: string,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation(config, name);
  try {
    return await work(installation);
  } finally {
    await installation.close();
  }
}
