import { inAccountIn } from '#server/infra/postgres/distribution/scope.ts';
import { Refusal, type RefusalCode } from '#contract/base/refusals.ts';
import {
  type UploadPurpose,
  CHUNK_BYTES_MAX,
  UPLOAD_HOURS,
  bytesMaxFor,
} from '#contract/uploads.ts';
import { scratchFolder } from '#server/infra/file-store/scratch.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { lockFiles, measure } from '#server/domains/media/files.ts';
import { type Incoming, openParts, type Part, hashOf } from './uploads-parts.ts';
import {
  type NewUpload,
  type Owner,
  type UploadContext,
  type Upload,
  type UploadDeps,
  begin,
  find,
  requireNotRefused,
  notFound,
} from './uploads-rows.ts';
import { rm } from 'node:fs/promises';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';
import { cleanName } from '#server/domains/media/inspection/inspect-name.ts';
import {
  type Claim,
  checkHead,
  checkSize,
  claimedMime,
  inspect,
} from '#server/domains/media/inspection/inspect.ts';

export type Uploads = {
  /**
   * Begins an upload in parts. @throws Refusal `upload_empty`, `upload_too_large`, `upload_quota_full`, `storage_full`
   */
  begin(owner: Owner, announced: NewUpload): Promise<string>;
  /**
   * Accepts the next part, atomically; with the last one the file is inspected and stored. A repeat of the newest part
   * gets the same answer.
   *
   * @returns the bytes received.
   * @throws Refusal `upload_offset_wrong`, `upload_length_wrong`, `request_in_flight`, and all that `inspect` throws: a
   * final refusal is stored, and the bytes are deleted.
   */
  append(owner: Owner, uploadId: string, piece: IncomingPart): Promise<number>;
  /** Accepts a file in one part and gives the upload's id; a refused file leaves nothing. */
  take(owner: Owner, announced: NewUpload & { name: string; bytes: Incoming }): Promise<string>;
  /** @throws Refusal `not_found`; for a refused upload, its reason. */
  find(owner: Owner, uploadId: string): Promise<Upload>;
  /** The small file of a finished, unclaimed upload. @throws Refusal `upload_gone` */
  read(owner: Owner, uploadId: string, purpose: UploadPurpose): Promise<UploadedFile>;
  /** Reverts an upload and deletes its file. @throws Refusal `not_found`, `upload_used` */
  revert(owner: Owner, uploadId: string): Promise<void>;
  sweep(): Promise<void>;
  /** Deletes all uploads of an account. The files made from claimed ones stay. */
  eraseAll(accountId: string): Promise<void>;
};

export type UploadedFile = { name: string; bytes: Buffer };

/** Opens the uploads: FilePond's verbs, without HTTP. */
export function openUploads(deps: UploadDeps): Uploads {
  const { dataFolder, files } = deps;
  const ready: UploadContext = {
    ...deps,
    parts: openParts(scratchFolder(dataFolder), files.store),
  };
  return {
    begin: (owner, announced) => begin(ready, owner, announced),
    append: (owner, uploadId, piece) => append(ready, owner, uploadId, piece),
    take: (owner, announced) => take(ready, owner, announced),
    find: async (owner, uploadId) => requireNotRefused(await find(ready, owner, uploadId)),
    read: (owner, uploadId, purpose) => readFinished(ready, owner, { uploadId, purpose }),
    revert: (owner, uploadId) => revert(ready, owner, uploadId),
    sweep: () => sweep(ready),
    eraseAll: (accountId) => eraseAll(ready, accountId),
  };
}

/**
 * Claims a finished upload, once, in the transaction of the act that needs its file.
 * The file then stays as long as a row names it; unclaimed uploads are deleted after a day.
 *
 * @param tx sees the account, or all of them.
 * @param uploadId the UUID behind `upl_…`, as `IdInput('upload')` gives it.
 * @returns the file's id, for `files.link` and for a row that names it.
 * @throws Refusal `upload_gone` when it is not this user's, has another purpose, is not finished, or was used before.
 */
export async function claimUpload(
  tx: Tx,
  wanted: Owner & { uploadId: string; purpose: UploadPurpose },
): Promise<string> {
  const { accountId, userId, uploadId, purpose } = wanted;
  const [claimed] = await tx<{ fileId: string }[]>`
    update uploads set state = 'claimed'
    where account_id = ${accountId} and upload_id = ${uploadId} and user_id = ${userId}
      and purpose = ${purpose} and state = 'finished' and expires_at > clock_timestamp()
    returning file_id as "fileId"`;
  if (!claimed) throw new Refusal('upload_gone', {});
  return claimed.fileId;
}

/**
 * The file of a claimed upload of this user, for an act that may be a repeat: the caller checks that its own row names
 * this file. Undefined when the upload is unclaimed or was deleted.
 */
export async function claimedFile(
  tx: Tx,
  wanted: Owner & { uploadId: string; purpose: UploadPurpose },
): Promise<string | undefined> {
  const { accountId, userId, uploadId, purpose } = wanted;
  const [claimed] = await tx<{ fileId: string }[]>`
    select file_id as "fileId" from uploads
    where account_id = ${accountId} and upload_id = ${uploadId} and user_id = ${userId}
      and purpose = ${purpose} and state = 'claimed'`;
  return claimed?.fileId;
}

/**
 * In a restored database, deletes the uploads that were in progress at the time of the backup: it does not contain
 * their parts, and browsers start them again. Finished uploads are files.
 *
 * @param owner a pool of the database's owner.
 */
export async function deleteUnfinishedUploads(owner: Sql): Promise<void> {
  await owner`delete from uploads where state = 'receiving'`;
}

/**
 * Releases a file made from an upload, in the transaction of the act that stops naming it.
 *
 * @returns hashes of bytes that may be unused now: call `files.erase` with them after COMMIT.
 */
export async function releaseFile(
  tx: Tx,
  { accountId, fileId }: { accountId: string; fileId: string },
): Promise<Buffer[]> {
  await tx`delete from uploads where account_id = ${accountId} and file_id = ${fileId}`;
  return deleteFiles(tx, [{ account_id: accountId, file_id: fileId }]);
}

async function readFinished(
  { sql, files }: UploadContext,
  { accountId, userId }: Owner,
  { uploadId, purpose }: { uploadId: string; purpose: UploadPurpose },
): Promise<UploadedFile> {
  const [upload] = await asAccount(
    sql,
    accountId,
    (tx) => tx<{ fileId: string }[]>`
      select file_id as "fileId" from uploads
      where account_id = ${accountId} and upload_id = ${uploadId} and user_id = ${userId}
        and purpose = ${purpose} and state = 'finished' and expires_at > clock_timestamp()`,
  );
  const file = upload && (await files.read(accountId, upload.fileId));
  if (!file) throw new Refusal('upload_gone', {});
  return file;
}

export type FileFacts = { name: string; mime: string; sizeBytes: number; sha256: Buffer };

/** Metadata of an account's file, in the transaction that claimed it. */
export async function describeFile(
  tx: Tx,
  { accountId, fileId }: { accountId: string; fileId: string },
): Promise<FileFacts> {
  const file = await findFacts(tx, { accountId, fileId });
  if (!file) throw new Error('a claimed file is gone');
  return file;
}

async function findFacts(
  tx: Tx,
  { accountId, fileId }: { accountId: string; fileId: string },
): Promise<(FileFacts & { createdAt: Date }) | undefined> {
  const [file] = await tx<(FileFacts & { createdAt: Date })[]>`
    select name, mime, size_bytes as "sizeBytes", sha256, created_at as "createdAt" from files
    where account_id = ${accountId} and file_id = ${fileId}`;
  return file;
}

/**
 * Moves a claimed file to another account, whose lifetime it then has.
 *
 * @param sql sees all accounts, as `tx` does. In a distributed database the file is released even if `tx` fails.
 */
export async function moveFile(
  { sql, tx }: { sql: Sql; tx: Tx },
  { from, to, fileId }: { from: string; to: string; fileId: string },
): Promise<void> {
  const file = await inAccountIn({ sql, tx }, from, async (own) => {
    // Lock both accounts in one call if it is one transaction, so that two of these cannot deadlock.
    await lockFiles(own, ...(own === tx ? [from, to] : [from]));
    return findFacts(own, { accountId: from, fileId });
  });
  if (!file) return;
  await lockFiles(tx, to);
  await tx`
    insert into files (account_id, file_id, name, mime, size_bytes, sha256, created_at)
    values (${to}, ${fileId}, ${file.name}, ${file.mime}, ${file.sizeBytes}, ${file.sha256},
      ${file.createdAt})`;
  await inAccountIn({ sql, tx }, from, (own) => releaseFile(own, { accountId: from, fileId }));
}

async function revert(ready: UploadContext, owner: Owner, uploadId: string): Promise<void> {
  const { accountId } = owner;
  const { state } = await find(ready, owner, uploadId);
  if (state === 'claimed') throw new Refusal('upload_used', {});
  const digests = await asAccount(ready.sql, accountId, async (tx) => {
    const gone = await tx<RemovedUpload[]>`
      delete from uploads
      where account_id = ${accountId} and upload_id = ${uploadId} and state <> 'claimed'
      returning account_id, upload_id, file_id`;
    if (gone.length === 0) throw new Refusal('upload_used', {});
    return deleteFiles(tx, gone);
  });
  await ready.parts.clear(uploadId);
  await ready.files.erase(ready.allAccountsSql, digests);
}

type RemovedUpload = { account_id: string; upload_id: string; file_id: string | null };

/** Deletes the files of removed uploads, and answers the hashes that may be unused now. */
export async function deleteFiles(
  tx: Tx,
  gone: readonly Pick<RemovedUpload, 'account_id' | 'file_id'>[],
): Promise<Buffer[]> {
  const withFile = gone.filter(({ file_id }) => file_id !== null);
  if (withFile.length === 0) return [];
  await lockFiles(tx, ...withFile.map(({ account_id }) => account_id));
  const dropped = await tx<{ sha256: Buffer }[]>`
    delete from files where (account_id, file_id) in (
      select * from unnest(${withFile.map((one) => one.account_id)}::uuid[],
        ${withFile.map((one) => one.file_id)}::uuid[]))
    returning sha256`;
  return dropped.map(({ sha256 }) => sha256);
}

const ROWS_AT_ONCE = 200;

async function sweep({ allAccountsSql, files, parts }: UploadContext): Promise<void> {
  while ((await sweepSome(allAccountsSql, { files, parts })) === ROWS_AT_ONCE);
  await parts.clearOld();
}

/** Deletes expired uploads with their files; of claimed ones only the row. */
async function sweepSome(
  allAccountsSql: Sql,
  { files, parts }: Pick<UploadContext, 'files' | 'parts'>,
): Promise<number> {
  const { gone, digests } = await allAccountsSql.begin(async (tx) => {
    const expired = await tx<(RemovedUpload & { state: Upload['state'] })[]>`
      delete from uploads where (account_id, upload_id) in (
        select account_id, upload_id from uploads where expires_at < clock_timestamp()
        limit ${ROWS_AT_ONCE} for update skip locked)
      returning account_id, upload_id, file_id, state`;
    const unused = expired.filter(({ state }) => state !== 'claimed');
    return { gone: expired, digests: await deleteFiles(tx, unused) };
  });
  for (const { upload_id } of gone) await parts.clear(upload_id);
  await files.erase(allAccountsSql, digests);
  return gone.length;
}

async function eraseAll(
  { allAccountsSql, parts }: UploadContext,
  accountId: string,
): Promise<void> {
  for (;;) {
    const some = await allAccountsSql<{ upload_id: string }[]>`
      select upload_id from uploads where account_id = ${accountId} limit ${ROWS_AT_ONCE}`;
    if (some.length === 0) return;
    // Parts first: without the row, only the sweep a day later would find them.
    for (const { upload_id } of some) await parts.clear(upload_id);
    await allAccountsSql`
      delete from uploads where account_id = ${accountId}
        and upload_id = any(${some.map(({ upload_id }) => upload_id)}::uuid[])`;
  }
}

type IncomingPart = { offset: number; lengthBytes: number; name: string; bytes: Incoming };

/** 100 MB in parts of 100 kB: smaller ones would only make many files. */
const PARTS_MAX = 1_000;
const CHECK_SECONDS = 180;
const RETRY_SECONDS = 2;

const finalRefusals: ReadonlySet<RefusalCode> = new Set([
  'upload_kind_refused',
  'upload_contradicts',
  'upload_unsafe',
  'upload_infected',
  'upload_too_large',
  'upload_empty',
]);

async function append(
  ready: UploadContext,
  owner: Owner,
  uploadId: string,
  piece: IncomingPart,
): Promise<number> {
  const { offset, lengthBytes } = piece;
  const upload = requireNotRefused(await find(ready, owner, uploadId));
  if (lengthBytes !== upload.lengthBytes) {
    throw new Refusal('upload_length_wrong', { length: upload.lengthBytes });
  }
  const isEnd = offset === upload.receivedBytes && offset === upload.lengthBytes;
  if (isEnd || (await isRepeat(upload, piece))) {
    if (isEnd) await expectNoMoreBytes(piece.bytes, offset);
    const waits = upload.state === 'receiving' && upload.receivedBytes === upload.lengthBytes;
    if (waits) await complete(ready, owner, uploadId);
    return upload.receivedBytes;
  }
  const received = await storingRefusals(ready, owner, uploadId, () =>
    receive(ready, owner, upload, piece),
  );
  if (received === upload.lengthBytes) await complete(ready, owner, uploadId);
  return received;
}

async function take(
  ready: UploadContext,
  owner: Owner,
  announced: NewUpload & { name: string; bytes: Incoming },
): Promise<string> {
  const { purpose, declared, lengthBytes } = announced;
  const claim = { purpose, declared, name: cleanName(announced.name) };
  const mime = claimedMime(claim);
  const bytesMax = bytesMaxFor(purpose, mime);
  const uploadId = await begin(ready, owner, {
    ...announced,
    lengthBytes: Math.min(lengthBytes, bytesMax),
  });
  try {
    const part = await ready.parts.write(uploadId, announced.bytes, {
      isWhole: true,
      bytesMax,
      tooMany: () => new Refusal('upload_too_large', { bytesMax }),
      look: (head) => checkHead(claim, head),
    });
    checkSize(purpose, part.bytes, mime);
    await takeFile(ready, owner, uploadId, { name: claim.name, part });
    await complete(ready, owner, uploadId);
    return uploadId;
  } catch (error) {
    await forget(ready, owner, uploadId);
    throw error;
  }
}

async function takeFile(
  { sql }: UploadContext,
  { accountId }: Owner,
  uploadId: string,
  { name, part }: { name: string; part: Part },
): Promise<void> {
  await asAccount(
    sql,
    accountId,
    (tx) => tx`
      update uploads set length_bytes = ${part.bytes}, received_bytes = ${part.bytes},
        name = ${name}, parts = array[${part.partId}]::uuid[]
      where account_id = ${accountId} and upload_id = ${uploadId}`,
  );
}

async function forget({ sql, parts }: UploadContext, { accountId }: Owner, uploadId: string) {
  await asAccount(
    sql,
    accountId,
    (tx) => tx`
      delete from uploads where account_id = ${accountId} and upload_id = ${uploadId}
        and state in ('receiving', 'refused')`,
  );
  await parts.clear(uploadId);
}

const wrongOffset = (offset: number) => new Refusal('upload_offset_wrong', { offset });

async function expectNoMoreBytes(bytes: Incoming, offset: number): Promise<void> {
  for await (const chunk of bytes) if (chunk.length > 0) throw wrongOffset(offset);
}

/** True for a byte-by-byte repeat of the newest part, whose first answer was lost. */
async function isRepeat(upload: Upload, { offset, bytes }: IncomingPart): Promise<boolean> {
  const { receivedBytes, lastOffset, lastSha256 } = upload;
  if (offset === receivedBytes) return false;
  if (offset !== lastOffset || lastSha256 === null) throw wrongOffset(receivedBytes);
  const repeatHash = await hashOf(bytes, receivedBytes - offset);
  if (!repeatHash?.equals(lastSha256)) throw wrongOffset(receivedBytes);
  return true;
}

/**
 * Writes a part and adds it to the row; of two parts at the same offset, the row takes the first.
 */
async function receive(
  ready: UploadContext,
  owner: Owner,
  upload: Upload,
  { offset, name: raw, bytes }: IncomingPart,
): Promise<number> {
  const { uploadId, lengthBytes, purpose, declared } = upload;
  if (upload.parts.length >= PARTS_MAX) {
    throw new Refusal('request_malformed', { why: 'potongan berkas terlalu kecil' });
  }
  const name = upload.name === '' ? cleanName(raw) : upload.name;
  const claim = { purpose, declared, name };
  checkSize(purpose, lengthBytes, claimedMime(claim));
  const left = lengthBytes - offset;
  const part = await ready.parts.write(uploadId, bytes, {
    bytesMax: Math.min(left, CHUNK_BYTES_MAX),
    tooMany: () =>
      left < CHUNK_BYTES_MAX
        ? new Refusal('upload_length_wrong', { length: lengthBytes })
        : new Refusal('body_too_large', {}),
    ...(offset === 0 && { look: (head: Uint8Array) => checkHead(claim, head) }),
  });
  if (await appendPart(ready, owner, { uploadId, offset, name, part })) return offset + part.bytes;
  await ready.parts.drop(uploadId, part.partId);
  throw wrongOffset((await find(ready, owner, uploadId)).receivedBytes);
}

async function appendPart(
  { sql }: UploadContext,
  { accountId }: Owner,
  { uploadId, offset, name, part }: { uploadId: string; offset: number; name: string; part: Part },
): Promise<boolean> {
  const taken = await asAccount(
    sql,
    accountId,
    (tx) => tx`
      update uploads set received_bytes = received_bytes + ${part.bytes}, name = ${name},
        parts = parts || ${part.partId}::uuid, last_offset = ${offset}, last_sha256 = ${part.sha256}
      where account_id = ${accountId} and upload_id = ${uploadId} and state = 'receiving'
        and received_bytes = ${offset} and ${part.bytes}::bigint > 0
      returning 1`,
  );
  return taken.length > 0;
}

/**
 * Inspects a complete upload and stores it. One process at a time inspects; after three minutes another takes over.
 */
async function complete(ready: UploadContext, owner: Owner, uploadId: string): Promise<void> {
  const upload = await acquireLease(ready, owner, uploadId);
  if (!upload) {
    const { state } = requireNotRefused(await find(ready, owner, uploadId));
    if (state === 'receiving') throw new Refusal('request_in_flight', { seconds: RETRY_SECONDS });
    return;
  }
  try {
    await storingRefusals(ready, owner, uploadId, () => storeUpload(ready, owner, upload));
  } catch (error) {
    await releaseLease(ready, owner, uploadId);
    throw error;
  }
  await ready.parts.clear(uploadId);
}

async function acquireLease(
  ready: UploadContext,
  owner: Owner,
  uploadId: string,
): Promise<Upload | undefined> {
  const { accountId } = owner;
  const mine = await asAccount(
    ready.sql,
    accountId,
    (tx) => tx`
      update uploads
      set checked_until = clock_timestamp() + make_interval(secs => ${CHECK_SECONDS})
      where account_id = ${accountId} and upload_id = ${uploadId} and state = 'receiving'
        and (checked_until is null or checked_until < clock_timestamp())
      returning 1`,
  );
  return mine.length > 0 ? find(ready, owner, uploadId) : undefined;
}

const releaseLease = ({ sql }: UploadContext, { accountId }: Owner, uploadId: string) =>
  asAccount(
    sql,
    accountId,
    (tx) => tx`
      update uploads set checked_until = null
      where account_id = ${accountId} and upload_id = ${uploadId} and state = 'receiving'`,
  );

const claimOf = ({ purpose, name, declared, crop }: Upload): Claim => ({
  purpose,
  name,
  declared,
  crop: crop ?? undefined,
});

async function storeUpload(
  ready: UploadContext,
  { accountId }: Owner,
  upload: Upload,
): Promise<void> {
  const { sql, allAccountsSql, files, parts, scanner } = ready;
  const { uploadId } = upload;
  const path = await parts.join(uploadId, upload.parts);
  const {
    path: kept,
    name,
    mime,
  } = await inspect(path, { accountId, ...claimOf(upload) }, scanner);
  const measured = await measure(kept);
  const fileId = newId();
  try {
    await files.sendAhead({ path: kept, ...measured });
    await asAccount(sql, accountId, async (tx) => {
      // Lock order: the upload before the account's files, as in deleting an upload.
      await tx`
        select from uploads where account_id = ${accountId} and upload_id = ${uploadId} for update`;
      await files.keep(tx, { accountId, fileId, path: kept, name, mime, ...measured });
      const finished = await tx`
        update uploads set state = 'finished', file_id = ${fileId}, name = ${name},
          checked_until = null,
          expires_at = clock_timestamp() + make_interval(hours => ${UPLOAD_HOURS})
        where account_id = ${accountId} and upload_id = ${uploadId} and state = 'receiving'
        returning 1`;
      if (finished.length === 0) throw notFound();
    });
  } catch (error) {
    await files.erase(allAccountsSql, [measured.sha256]);
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * Runs `work` for an upload; stores a final refusal, and deletes the bytes.
 *
 * @throws Refusal `not_found` when the upload was reverted meanwhile, regardless of the result of `work`.
 */
async function storingRefusals<T>(
  ready: UploadContext,
  owner: Owner,
  uploadId: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && !finalRefusals.has(error.code)) throw error;
    await find(ready, owner, uploadId);
    if (error instanceof Refusal) await writeRefusal(ready, owner, uploadId, error);
    throw error;
  }
}

async function writeRefusal(
  { sql, parts }: UploadContext,
  { accountId }: Owner,
  uploadId: string,
  { code, facts }: Refusal,
): Promise<void> {
  await asAccount(
    sql,
    accountId,
    (tx) => tx`
      update uploads set state = 'refused', refusal = ${json({ type: code, facts })}
      where account_id = ${accountId} and upload_id = ${uploadId} and state = 'receiving'`,
  );
  await parts.clear(uploadId);
}
