import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { backUp } from '#server/app/jobs.ts';
import { type Restored, finishRestore, reckonWithRestore } from '#server/app/restored.ts';
import { type Manifest, secretId } from '#server/infra/backup/archive/manifest.ts';
import { restoreBackup } from '#server/infra/backup/restore.ts';
import { readBackupKey } from '#server/infra/backup/archive/seal.ts';
import type { Config } from '#server/infra/config.ts';
import { StartError } from '#server/infra/start-error.ts';
import { type Call, type Command, typed } from './command.ts';
import { dataFolderOf, withInstallation } from './open.ts';

const root = join(import.meta.dirname, '../..');

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Makes a backup now, besides the daily ones. */
export const backup: Command = {
  usage: 'backup',
  says: 'backs up the embedded database and the files now, and reads the backup back',
  run: async ({ config: read, print }) => {
    const config = read();
    if (config.DATABASE_URL !== undefined) {
      throw new StartError(
        'The database at DATABASE_URL is backed up by its own tools; docs/running/backup-and-restore.md says how.',
      );
    }
    const ending = new AbortController();
    const stop = () => ending.abort();
    process.on('SIGINT', stop).on('SIGTERM', stop);
    return withInstallation(config, 'backup', async ({ allAccountsSql, url }) => {
      const dataFolder = dataFolderOf(config);
      const build = await readFile(join(root, 'dist/.stamp'), 'utf8').catch(() => '');
      const deps = { config, allAccountsSql, url, dataFolder, build: build.slice(0, 12) };
      const made = await backUp(deps, new Date(), ending.signal);
      const { path, bytes, files, removed } = made;
      print(`${path}: ${megabytes(bytes)}, ${files} files, read back and whole.`);
      if (config.FILES_URL) {
        print('Files lie in the store of FILES_URL and are not in it (docs/running/files.md).');
      }
      for (const name of removed) print(`${name} is older than is kept, and was removed.`);
      return 0;
    });
  },
};

export const restore: Command = {
  usage: 'restore <backup> <new folder>',
  says: 'makes a new data folder out of a backup; nothing that runs is touched',
  run: async ({ given: [from, to], config: read, print }) => {
    if (from === undefined || to === undefined) {
      throw new StartError(`Give the backup’s folder and a new one: ${typed(restore)}`);
    }
    const config = read();
    const key = await readBackupKey(config.BACKUP_KEY_FILE);
    let restored: Restored | undefined;
    const manifest = await restoreBackup({
      backup: resolve(from),
      folder: to,
      key,
      finish: async (unpacked) => {
        restored = await finishRestore(unpacked);
      },
    });
    return report(resolve(to), { manifest, restored, config, print });
  },
};

/** For a database that was restored by its own tools. */
export const afterRestore: Command = {
  usage: 'after-restore',
  says: 'for DATABASE_URL: reckons with what happened since the backup of a database that was restored',
  run: async ({ config: read, print }) => {
    const { DATABASE_URL: url } = read();
    if (url === undefined) {
      throw new StartError('This is for DATABASE_URL; restore does it for the embedded database.');
    }
    const restored = await reckonWithRestore(url);
    for (const line of linesOf(restored)) print(line);
    return restored.broken.length > 0 ? 1 : 0;
  },
};

type Outcome = Pick<Call, 'print'> & {
  manifest: Manifest;
  restored: Restored | undefined;
  config: Config;
};

function report(folder: string, { manifest, restored, config, print }: Outcome): number {
  print(`${folder} is as everything was at ${manifest.at}.`);
  for (const line of restored ? linesOf(restored) : []) print(line);
  const { SECRET_KEY: key, SECRET_KEY_SECOND: second } = config;
  const keys = second === undefined ? [key] : [key, second === 'none' ? undefined : second];
  if (!keys.some((one) => manifest.secret_id === secretId(one))) {
    print(
      'SECRET_KEY is not the one of the backup: set that one before the start, or what is sealed stays closed.',
    );
  }
  print(`Start it:  KABARI_DATA=${folder} npm start`);
  return restored && restored.broken.length > 0 ? 1 : 0;
}

const linesOf = ({ mayHaveLeft, broken }: Restored): string[] => [
  ...(mayHaveLeft > 0
    ? [
        `${mayHaveLeft} messages that waited then may have been sent since; they go out marked possible_duplicate.`,
      ]
    : []),
  'All sessions have ended: everybody signs in again.',
  ...broken.map(
    ({ invariant, description }) => `The books are broken: ${invariant}, ${description}`,
  ),
];
