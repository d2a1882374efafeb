import type { Sql, Tx } from '#server/infra/postgres/database.ts';

export type MediaFacts = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  sha256: Buffer;
  previewId: string | null;
  width: number | null;
  height: number | null;
  /** Loudness of a sound in 64 parts of equal length, 0 to 100. */
  waveform: number[] | null;
  seconds: number | null;
  createdAt: Date;
  expiresAt: Date;
};

export const readMedia = (
  sql: Sql | Tx,
  accountId: string,
  fileIds: readonly string[],
): Promise<MediaFacts[]> =>
  sql<MediaFacts[]>`
    select f.file_id as "fileId", f.name, f.mime, f.size_bytes as "sizeBytes", f.sha256,
      l.preview_id as "previewId", l.width, l.height, l.waveform, l.seconds,
      l.created_at as "createdAt", l.expires_at as "expiresAt"
    from media_library l
    join files f on f.account_id = ${accountId} and f.file_id = l.file_id
    where l.account_id = ${accountId} and l.file_id = any(${[...fileIds]}::uuid[])`;
