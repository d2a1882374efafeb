import type { Place } from '#server/infra/postgres/distribution/pools.ts';
import type { Config } from '#server/infra/config.ts';
import type { FileStore } from '#server/infra/file-store/file-store.ts';
import { openFileClient } from '#server/infra/net/outbound-file.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { type Files, openFiles } from './files.ts';
import { openScanner } from './inspection/inspect-malware.ts';
import { type Library, openLibrary } from './library/library.ts';
import { type Uploads, openUploads } from './uploads/uploads.ts';

export { mediaAccountData } from './account-data.ts';
export { jpegOf } from './images.ts';
export { type Files, keptFiles, verifyFile } from './files.ts';
export type { Library } from './library/library.ts';
export type { MediaFacts } from './library/row.ts';
export {
  type Uploads,
  claimUpload,
  claimedFile,
  describeFile,
  handOverFile,
  forgetUnderWay,
  releaseFile,
} from './uploads/uploads.ts';

/** The files of accounts, those on their way in, and those that messages carry. */
export type Media = { files: Files; uploads: Uploads; library: Library };

export type MediaDeps = {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all accounts. */
  allAccountsSql: Sql;
  config: Pick<
    Config,
    | 'CLAMD_HOST'
    | 'FILES_PER_ACCOUNT_MB'
    | 'MEDIA_LISTED'
    | 'MEDIA_ORIGIN'
    | 'MEDIA_RETENTION_DAYS'
    | 'UPLOADS_OPEN_MB'
  >;
  now: () => Date;
  secrets: Secrets;
  /** Where the rows of accounts lie. */
  place: Pick<Place, 'isDistributed'>;
  /** Where files lie. */
  store: FileStore;
  /** Where they are worked on. */
  dataFolder: string;
  /** Called when the malware scanner is away or answers strangely, or a fetch has trouble of our own. */
  report: (trouble: unknown) => void;
};

const MB = 1_000_000;

/** Opens the store of files and the uploads into it. */
export function openMedia(deps: MediaDeps): Media {
  const { sql, allAccountsSql, config, secrets, store, dataFolder, report } = deps;
  const files = openFiles({
    sql,
    store,
    dataFolder,
    secrets,
    erasesAtOnce: !deps.place.isDistributed,
    shownAt: config.MEDIA_ORIGIN,
  });
  const parts = {
    sql,
    allAccountsSql,
    files,
    dataFolder,
    scanner: config.CLAMD_HOST === undefined ? undefined : openScanner(config.CLAMD_HOST, report),
    storedBytesMax: config.FILES_PER_ACCOUNT_MB * MB,
  };
  const uploads = openUploads({ ...parts, openBytesMax: config.UPLOADS_OPEN_MB * MB });
  const library = openLibrary({
    ...parts,
    now: deps.now,
    report,
    client: openFileClient({ listed: config.MEDIA_LISTED }),
    retentionDays: () => config.MEDIA_RETENTION_DAYS,
  });
  return { files, uploads, library };
}
