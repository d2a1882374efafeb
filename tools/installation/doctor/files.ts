import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Contents } from '#server/domains/media/contents.ts';
import { StoreAway } from '#server/infra/file-store/file-store.ts';
import { refusalSentence, type S3Store } from '#server/infra/file-store/open.ts';
import type { Config } from '#server/infra/config.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

const LOOK_AT = 'docs/running/files.md says what the store of files needs.';

export function placeOfFiles({ FILES_URL: bucket, ROLE }: Pick<Config, 'FILES_URL' | 'ROLE'>) {
  if (!bucket) {
    return ROLE === 'all'
      ? ok('Files lie in the data folder.')
      : warning(
          `Files lie in the data folder, and with ROLE=${ROLE} other nodes need them, too.`,
          'Set FILES_URL, or let all nodes have the same folder.',
        );
  }
  const { endpoint } = bucket;
  const isPlain = endpoint?.startsWith('http:') && !isLoopback(new URL(endpoint).hostname);
  return isPlain
    ? warning(
        'Files go to their store by plain http: whoever is on the way can read them.',
        'Use an endpoint of https, unless nobody else is in that network.',
      )
    : ok('Files lie in the store of FILES_URL.');
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host.startsWith('127.');

/** Writes a small file to the store, reads it and deletes it. */
export async function storeOfFiles(store: S3Store): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-doctor-'));
  try {
    if ((await store.ownership()) === 'theirs') {
      return wrong(
        `In ${store.name} the files of another installation lie.`,
        'Give this one a prefix of its own in FILES_URL.',
      );
    }
    const [path, key, words] = [join(folder, 'trial'), `trial/${randomUUID()}`, randomUUID()];
    await writeFile(path, words);
    await store.put(key, path, words.length);
    const read = await text(await store.stream(key));
    const listed = await Array.fromAsync(store.list(key));
    await store.delete(key);
    const isGone = (await store.size(key)) === undefined;
    return read === words && listed.length === 1 && isGone
      ? ok(`The store of files is ${store.name}; it was written to, and read.`)
      : wrong(`${store.name} does not give back what it was given.`, LOOK_AT);
  } catch (error) {
    if (!(error instanceof StoreAway)) throw error;
    return error.refusal === undefined
      ? wrong(`The store of files, ${store.name}, does not answer (${error.message}).`, LOOK_AT)
      : wrong(refusalSentence(store, error.refusal), LOOK_AT);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether the files in the database are in the store: not so before they were moved. */
export async function movedFiles(store: S3Store, some: Contents): Promise<Finding> {
  let missing = 0;
  for (const [key, size] of some) if ((await store.size(key)) !== size) missing += 1;
  return missing === 0
    ? ok(`${some.size} files that the database names were looked for in the store, and are there.`)
    : wrong(
        `Of ${some.size} files that the database names, ${missing} are not in the store.`,
        'npm run operator -- files:move copies those of the data folder.',
      );
}

/** Backups lack the store's files: only the store's own versions can restore deleted ones. */
export async function versionsOfFiles(store: S3Store): Promise<Finding> {
  const isVersioned = await store.isVersioned();
  if (isVersioned === true) return ok('The bucket keeps former versions of files.');
  return warning(
    isVersioned === false
      ? 'The bucket keeps no former versions, and no backup of ours holds its files.'
      : 'The bucket does not say whether it keeps former versions; no backup of ours holds its files.',
    'Turn versioning on, with a rule that ends them after some weeks; or copy the bucket elsewhere.',
  );
}
