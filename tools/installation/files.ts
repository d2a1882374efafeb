import { join } from 'node:path';
import { namedContents } from '#server/domains/media/contents.ts';
import { type Copied, copyFiles } from '#server/infra/file-store/copy.ts';
import {
  openDiskStore,
  openBucket,
  refusalSentence,
  type S3Store,
} from '#server/infra/file-store/open.ts';
import { StoreAway } from '#server/infra/file-store/file-store.ts';
import { installationId, readSecrets } from '#server/infra/security/secrets.ts';
import { StartError } from '#server/infra/start-error.ts';
import type { Call, Command } from './command.ts';
import { dataFolderOf, withInstallation } from './open.ts';

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
const SHOWN = 20;

/** Moves the files of the data folder into the bucket of FILES_URL. */
export const moveFiles: Command = {
  usage: 'files:move [--verify]',
  says: 'copies the files of the data folder into the store of FILES_URL, and reads each back; may be repeated',
  run: async ({ given, config: read, print }) => {
    const isThorough = given[0] === '--verify';
    const config = read();
    if (!config.FILES_URL) {
      throw new StartError('Set FILES_URL to the store that the files are to lie in.');
    }
    const dataFolder = dataFolderOf(config);
    const ending = new AbortController();
    const stop = () => ending.abort();
    process.on('SIGINT', stop).on('SIGTERM', stop);
    return withInstallation(config, 'files', async ({ allAccountsSql: all }) => {
      await readSecrets(all, config);
      const owner = await installationId(all);
      const to = await openBucket({ config, dataFolder, owner });
      if (!to) throw new StartError('FILES_URL is not set.');
      try {
        const copied = await trying(to, async () => {
          await to.claim();
          const from = openDiskStore(dataFolder);
          const { signal } = ending;
          const named = (digit: number) => namedContents(all, digit);
          return copyFiles({ from, to, named, isThorough, signal });
        });
        return report(copied, { isEnded: ending.signal.aborted, to, dataFolder, print });
      } finally {
        to.close();
        process.off('SIGINT', stop).off('SIGTERM', stop);
      }
    });
  },
};

/** @throws StartError instead of `StoreAway`. */
async function trying<T>(store: S3Store, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreAway)) throw error;
    throw new StartError(
      error.refusal === undefined
        ? `${store.name} does not answer (${error.message}); what was copied is there, and the next run goes on.`
        : refusalSentence(store, error.refusal),
    );
  }
}

type Report = Pick<Call, 'print'> & { isEnded: boolean; to: S3Store; dataFolder: string };

function report(
  { copied, bytes, already, broken, missing }: Copied,
  { isEnded, to, dataFolder, print }: Report,
): number {
  print(`${copied} files (${megabytes(bytes)}) were copied to ${to.name} and read back.`);
  if (already > 0) print(`${already} files were there before.`);
  const list = (keys: readonly string[]) => {
    for (const key of keys.slice(0, SHOWN)) print(`  ${key}`);
    if (keys.length > SHOWN) print(`  … and ${keys.length - SHOWN} more`);
  };
  if (broken.length > 0) {
    print(`${broken.length} files of the data folder are not what they were, and stay there:`);
    list(broken);
  }
  if (missing.length > 0) {
    print(`${missing.length} files that the database names are neither here nor there:`);
    list(missing);
  }
  if (isEnded) print('Broken off: the next run goes on.');
  else {
    print(
      `Start with FILES_URL, then run this once more for what came meanwhile; after that ${join(dataFolder, 'files')} may be deleted.`,
    );
  }
  return isEnded || broken.length + missing.length > 0 ? 1 : 0;
}
