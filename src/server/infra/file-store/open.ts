import { StartError } from '#server/infra/start-error.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { S3Address } from './address.ts';
import { openDiskStore } from './disk.ts';
import { type FileStore, StoreAway } from './file-store.ts';
import { type S3Store, openS3Store } from './s3.ts';
import { scratchFolder, sweepScratch } from './scratch.ts';

/** The settings that say where files lie. */
export type FileStoreConfig = {
  FILES_URL: S3Address | undefined;
  AWS_ACCESS_KEY_ID: string | undefined;
  AWS_SECRET_ACCESS_KEY: string | undefined;
  AWS_SESSION_TOKEN: string | undefined;
};

type Options = {
  config: FileStoreConfig;
  dataFolder: string;
  /** The installation whose files they are. */
  owner: string;
};

/** The store that FILES_URL names; undefined where files lie in the data folder. */
export async function openBucket({ config, ...options }: Options): Promise<S3Store | undefined> {
  const { FILES_URL: address, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = config;
  if (!address) return undefined;
  const session = config.AWS_SESSION_TOKEN;
  const credentials =
    id !== undefined && secret !== undefined
      ? {
          accessKeyId: id,
          secretAccessKey: secret,
          ...(session !== undefined && { sessionToken: session }),
        }
      : undefined;
  return openS3Store({ ...options, address, credentials });
}

/** Where files lie: in the data folder, or in the bucket of FILES_URL. */
export async function openFileStore(options: Options): Promise<FileStore> {
  const bucket = await openBucket(options);
  if (!bucket) return openDiskStore(options.dataFolder);
  const scratch = sweepScratchHourly(options.dataFolder);
  const close = () => {
    scratch.close();
    bucket.close();
  };
  return { ...bucket, close };
}

/**
 * Looks at the store at the start. One that does not answer is waited for by whoever needs a file; the rest goes on.
 *
 * @throws StartError where it refuses, or is another installation's.
 */
export async function startFileStore(store: FileStore, log: Log): Promise<void> {
  try {
    await store.claim();
  } catch (error) {
    if (!(error instanceof StoreAway)) throw error;
    if (error.refusal !== undefined) throw new StartError(refusalSentence(store, error.refusal));
    log.warn({ err: error }, 'the file store does not answer: what needs a file waits for it');
  }
}

/** What a refusal of the store means, and what to look at. */
export const refusalSentence = ({ name }: Pick<FileStore, 'name'>, refusal: string): string =>
  `The store of FILES_URL (${name}) refuses: ${refusal}. Look at the bucket, its region and endpoint, and at what AWS_ACCESS_KEY_ID may do there (docs/running/files.md).`;

const HOUR_MS = 3_600_000;
/** Longer than an upload lives. */
const SCRATCH_MS = 26 * HOUR_MS;

/**
 * Deletes what died on this node while it was worked on, now and every hour. For nodes that share a store: jobs run
 * on one of them, which sees its own disk only.
 */
function sweepScratchHourly(dataFolder: string): { close: () => void } {
  const sweep = () =>
    void sweepScratch(scratchFolder(dataFolder), SCRATCH_MS).catch(() => undefined);
  sweep();
  const timer = setInterval(sweep, HOUR_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

const REMEMBERED_MS = 10_000;

/**
 * Looks at the store when somebody asks, and not more often than every ten seconds; the log says once when it is away,
 * and once when it is back.
 *
 * @returns a check that throws while the store is away.
 */
export function watchFileStore(store: FileStore, log: Log): () => Promise<void> {
  let isAway = false;
  let known: { verdict: Promise<void>; until: number } | undefined;
  const look = async () => {
    try {
      await store.check();
      if (isAway) log.warn('the file store is back');
      isAway = false;
    } catch (error) {
      if (!isAway)
        log.error({ err: error }, 'the file store is away: what needs a file waits for it');
      isAway = true;
      throw error;
    }
  };
  return () => {
    if (!known || performance.now() > known.until) {
      known = { verdict: look(), until: performance.now() + REMEMBERED_MS };
    }
    return known.verdict;
  };
}
