import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '#server/infra/config.ts';
import { wanting } from '#server/infra/postgres/address.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { defaultDataFolder } from '#server/infra/embedded-postgres/home.ts';
import { runningEmbedded, startEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { StartError } from '#server/infra/start-error.ts';

export type Installation = {
  allAccountsSql: Sql;
  /** The database as its owner. */
  url: string;
  close: () => Promise<void>;
};

/** Where the files of an installation lie. */
export const dataFolderOf = ({ KABARI_DATA }: Pick<Config, 'KABARI_DATA'>): string =>
  resolve(KABARI_DATA ?? defaultDataFolder());

/** A pool of the application, or undefined when nobody answers at the address. */
async function reach(url: string, name: string): Promise<Installation | undefined> {
  const allAccountsSql = openDatabase(url, { max: 1, as: 'all accounts', name });
  const close = () => allAccountsSql.end({ timeout: 1 });
  try {
    await allAccountsSql`select 1`;
    return { allAccountsSql, url, close };
  } catch {
    await close();
    return undefined;
  }
}

/**
 * The database of this installation: DATABASE_URL's, the running application's, or ours for the moment.
 *
 * @param name what its connections are called.
 * @throws StartError when there is none, or it does not answer.
 */
export async function openInstallation(config: Config, name: string): Promise<Installation> {
  if (config.DATABASE_URL !== undefined) {
    const opened = await reach(wanting(config.DATABASE_URL, 'read-write'), name);
    if (!opened) throw new StartError('The database at DATABASE_URL does not answer.');
    return opened;
  }
  const folder = dataFolderOf(config);
  if (!existsSync(join(folder, 'postgres', 'PG_VERSION'))) {
    throw new StartError(`There is no database in ${folder} yet; npm start makes it.`);
  }
  const url = runningEmbedded(folder);
  const running = url === undefined ? undefined : await reach(url, name);
  if (running) return running;
  const server = await startEmbedded({ dataFolder: folder });
  const opened = await reach(server.url, name);
  if (!opened) {
    await server.stop();
    throw new StartError('The database was started and does not answer.');
  }
  const close = async () => {
    await opened.close();
    await server.stop();
  };
  return { ...opened, close };
}

/** Does something with the database of this installation, and leaves it as it was found: running, or not. */
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
