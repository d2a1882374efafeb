import type { Topology } from '#server/infra/postgres/distribution/pools.ts';
import type { Config } from '#server/infra/config.ts';
import type { FileStore } from '#server/infra/file-store/file-store.ts';
import { openFileClient } from '#server/infra/net/outbound-file.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { type FileOffer, type Files, openFiles } from './files.ts';
import { openScanner } from './inspection/inspect-malware.ts';
import { type Library, openLibrary } from './library/library.ts';
import { type Uploads, openUploads } from './uploads/uploads.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { ApiMedia } from '#contract/media.ts';
import { type ApiHandlers, type ApiReader, uuidIn } from '#server/infra/endpoints.ts';
import type { MediaFacts } from './library/row.ts';
import { type Attachment, type AccountData, inPages } from '#server/infra/account-data.ts';

type StoredFile = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  created_at: Date;
};

type Deps = { sql: Sql; allAccountsSql: Sql; files: Files; uploads: Uploads; library: Library };

/** An account's files, stored and being uploaded. */
export const mediaAccountData = ({
  sql,
  allAccountsSql,
  files,
  uploads,
  library,
}: Deps): AccountData => ({
  subjects: (accountId) => [
    {
      name: 'berkas',
      rows: async function* () {
        for await (const { fileId, sizeBytes, ...facts } of storedFiles(sql, accountId)) {
          const path = pathOf({ fileId, name: facts.name });
          yield { id: publicId('file', fileId), path, ...facts, size_bytes: sizeBytes };
        }
      },
    },
    { name: 'media', rows: () => mediaOf(sql, accountId) },
    { name: 'tautan-media', rows: () => linksOf(sql, accountId) },
    { name: 'unggahan', rows: () => uploaded(sql, accountId) },
  ],
  attachments: (accountId) => attachmentsOf(sql, files, accountId),
  erase: async ({ accountId }) => {
    // Rows of the library name rows of files, so they go first.
    await library.eraseAll(accountId);
    await uploads.eraseAll(accountId);
    await files.eraseAll(allAccountsSql, accountId);
  },
});

const storedFiles = (sql: Sql, accountId: string): AsyncGenerator<StoredFile> =>
  inPages<StoredFile>(
    { sql, accountId },
    (tx, last, limit) => tx<StoredFile[]>`
      select file_id as "fileId", name, mime, size_bytes as "sizeBytes", created_at from files
      where account_id = ${accountId} ${last ? tx`and file_id > ${last.fileId}` : tx``}
      order by file_id limit ${limit}`,
  );

async function* attachmentsOf(
  sql: Sql,
  files: Files,
  accountId: string,
): AsyncGenerator<Attachment> {
  for await (const { fileId, name, sizeBytes } of storedFiles(sql, accountId)) {
    const open = async () => {
      const file = await files.open(accountId, fileId);
      if (!file) throw Object.assign(new Error('the file is gone'), { code: 'ENOENT' });
      return file.stream();
    };
    yield { path: pathOf({ fileId, name }), sizeBytes, open };
  }
}

const NAME_MAX = 100;

/** A name valid on every system; the id before it makes it unique. */
const pathOf = ({ fileId, name }: Pick<StoredFile, 'fileId' | 'name'>): string => {
  const safe = name.toWellFormed().replace(/[\p{Cc}\p{Cf}\\/:*?"<>|]/gu, '_');
  return `berkas/${publicId('file', fileId)}-${[...safe].slice(-NAME_MAX).join('')}`;
};

type Uploaded = {
  upload_id: string;
  purpose: string;
  state: string;
  name: string;
  length_bytes: number;
  created_at: Date;
};

async function* uploaded(sql: Sql, accountId: string) {
  const rows = inPages<Uploaded>(
    { sql, accountId },
    (tx, last, limit) => tx<Uploaded[]>`
      select upload_id, purpose, state, name, length_bytes, created_at from uploads
      where account_id = ${accountId} ${last ? tx`and upload_id > ${last.upload_id}` : tx``}
      order by upload_id limit ${limit}`,
  );
  for await (const { upload_id, ...facts } of rows) {
    yield { id: publicId('upload', upload_id), ...facts };
  }
}

type MediaRow = {
  file_id: string;
  source: string;
  width: number | null;
  height: number | null;
  seconds: number | null;
  expires_at: Date;
  created_at: Date;
};

async function* mediaOf(sql: Sql, accountId: string) {
  const rows = inPages<MediaRow>(
    { sql, accountId },
    (tx, last, limit) => tx<MediaRow[]>`
      select file_id, source, width, height, seconds, expires_at, created_at from media_library
      where account_id = ${accountId} ${last ? tx`and file_id > ${last.file_id}` : tx``}
      order by file_id limit ${limit}`,
  );
  for await (const { file_id, ...facts } of rows) {
    yield { id: publicId('media', file_id), file: publicId('file', file_id), ...facts };
  }
}

type LinkRow = {
  fetch_id: string;
  link: string;
  kind: string;
  state: string;
  failure: string | null;
  created_at: Date;
  ended_at: Date | null;
};

async function* linksOf(sql: Sql, accountId: string) {
  const rows = inPages<LinkRow>(
    { sql, accountId },
    (tx, last, limit) => tx<LinkRow[]>`
      select fetch_id, link, kind, state, failure, created_at, ended_at from media_fetches
      where account_id = ${accountId} ${last ? tx`and fetch_id > ${last.fetch_id}` : tx``}
      order by fetch_id limit ${limit}`,
  );
  for await (const { fetch_id: _, ...facts } of rows) yield facts;
}

/** Media that is stored already; a new one arrives by `http/v1/api.ts`. */
export const mediaEndpoints = ({
  files,
  library,
}: Pick<Media, 'files' | 'library'>): ApiHandlers<'getMedia' | 'removeMedia'> => ({
  getMedia: async ({ sender: { accountId }, id, reader }) => {
    const fileId = mediaIdIn(id);
    const file = (await library.find(accountId, [fileId])).get(fileId);
    if (!file) throw new Refusal('not_found', { what: MEDIA });
    return apiMediaOf(file, files.offer(accountId, fileId), reader);
  },
  removeMedia: ({ sender: { accountId }, id }) => library.remove(accountId, mediaIdIn(id)),
});

const MEDIA = 'Media';
const mediaIdIn = (id: string): string => uuidIn('media', id, MEDIA);

export const apiMediaOf = (
  file: MediaFacts,
  { link, expiresAt }: FileOffer,
  { origin }: ApiReader,
): ApiMedia => ({
  id: publicId('media', file.fileId),
  name: file.name,
  mime_type: file.mime,
  size: file.sizeBytes,
  sha256: file.sha256.toString('hex'),
  width: file.width,
  height: file.height,
  duration: file.seconds,
  created_at: file.createdAt,
  expires_at: file.expiresAt,
  url: new URL(link, origin).href,
  url_expires_at: expiresAt,
});

export { jpegOf } from './images.ts';
export { type Files, findExistingFiles, verifyFile } from './files.ts';
export type { Library } from './library/library.ts';
export type { MediaFacts } from './library/row.ts';
export {
  type Uploads,
  claimUpload,
  claimedFile,
  describeFile,
  moveFile,
  deleteUnfinishedUploads,
  releaseFile,
} from './uploads/uploads.ts';

export type Media = { files: Files; uploads: Uploads; library: Library };

export type MediaDeps = {
  sql: Sql;
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
  place: Pick<Topology, 'isDistributed'>;
  store: FileStore;
  dataFolder: string;
  /**
   * Called when the malware scanner is unreachable or answers unexpectedly, or when a fetch fails on our side.
   */
  report: (trouble: unknown) => void;
};

const MB = 1_000_000;

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
