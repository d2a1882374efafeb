import { Refusal, refusalFrom } from '#contract/base/refusals.ts';
import { UPLOAD_HOURS, type UploadMetadata, type UploadPurpose } from '#contract/uploads.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { type Files, storedBytes } from '#server/domains/media/files.ts';
import { newId } from '#server/infra/ids.ts';
import type { Scanner } from '#server/domains/media/inspection/inspect-malware.ts';
import { checkSize } from '#server/domains/media/inspection/inspect.ts';
import type { Parts } from './uploads-parts.ts';

/** Owner of the uploads; those of others are not found. */
export type Owner = { accountId: string; userId: string };

export type NewUpload = {
  purpose: UploadPurpose;
  declared: string;
  crop?: UploadMetadata['crop'] | undefined;
  /** Bytes of the whole file; an upper limit when it comes in one part. */
  lengthBytes: number;
};

export type Upload = {
  uploadId: string;
  purpose: UploadPurpose;
  state: 'receiving' | 'finished' | 'claimed' | 'refused';
  name: string;
  declared: string;
  crop: UploadMetadata['crop'] | null;
  lengthBytes: number;
  receivedBytes: number;
  parts: string[];
  lastOffset: number | null;
  lastSha256: Buffer | null;
  refusal: unknown;
  fileId: string | null;
};

export type UploadDeps = {
  sql: Sql;
  allAccountsSql: Sql;
  files: Files;
  dataFolder: string;
  scanner: Scanner | undefined;
  /** Limit of an account's uploaded bytes that are not claimed yet. */
  openBytesMax: number;
  storedBytesMax: number;
};

export type UploadContext = UploadDeps & { parts: Parts };

const OPEN_MAX = 100;

/**
 * Begins an upload: creates its row, and reserves its bytes in the account's quota.
 *
 * @throws Refusal `upload_empty`, `upload_too_large`, `upload_quota_full`, `storage_full`
 */
export async function begin(
  { sql, openBytesMax, storedBytesMax }: UploadContext,
  { accountId, userId }: Owner,
  { purpose, declared, crop, lengthBytes }: NewUpload,
): Promise<string> {
  checkSize(purpose, lengthBytes);
  const uploadId = newId();
  await asAccount(sql, accountId, async (tx) => {
    // One at a time per account: two concurrent ones would both see the room of one.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`uploads ${accountId}`}, 0))`;
    const [use] = await tx<{ open: number; count: number }[]>`
      select coalesce(sum(length_bytes), 0)::bigint as open, count(*)::int as count
      from uploads where account_id = ${accountId} and state in ('receiving', 'finished')
        and expires_at > clock_timestamp()`;
    const { open = 0, count = 0 } = use ?? {};
    if (open + lengthBytes > openBytesMax || count >= OPEN_MAX) {
      throw new Refusal('upload_quota_full', { bytesMax: openBytesMax });
    }
    if ((await storedBytes(tx, accountId)) + lengthBytes > storedBytesMax) {
      throw new Refusal('storage_full', { bytesMax: storedBytesMax });
    }
    await tx`
      insert into uploads
        (account_id, upload_id, user_id, purpose, declared, crop, length_bytes, expires_at)
      values (${accountId}, ${uploadId}, ${userId}, ${purpose}, ${declared},
        ${crop === undefined ? null : json(crop)}, ${lengthBytes},
        clock_timestamp() + make_interval(hours => ${UPLOAD_HOURS}))`;
  });
  return uploadId;
}

/** @throws Refusal `not_found`, also when it is another user's or has expired. */
export async function find(
  { sql }: UploadContext,
  { accountId, userId }: Owner,
  uploadId: string,
): Promise<Upload> {
  const [upload] = await asAccount(
    sql,
    accountId,
    (tx) => tx<Upload[]>`
      select upload_id as "uploadId", purpose, state, name, declared, crop,
        length_bytes as "lengthBytes", received_bytes as "receivedBytes", parts,
        last_offset as "lastOffset", last_sha256 as "lastSha256", refusal, file_id as "fileId"
      from uploads
      where account_id = ${accountId} and upload_id = ${uploadId} and user_id = ${userId}
        and expires_at > clock_timestamp()`,
  );
  if (!upload) throw notFound();
  return upload;
}

export const notFound = () => new Refusal('not_found', { what: 'Unggahan' });
/** @throws Refusal the reason why an upload was refused. */
export function requireNotRefused(upload: Upload): Upload {
  if (upload.state === 'refused') throw refusalFrom(upload.refusal) ?? notFound();
  return upload;
}
