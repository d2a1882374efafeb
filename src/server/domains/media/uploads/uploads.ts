import { inAccountIn } from '#server/infra/postgres/distribution/scope.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { UploadPurpose } from '#contract/uploads.ts';
import { scratchFolder } from '#server/infra/file-store/scratch.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { lockFiles } from '#server/domains/media/files.ts';
import { type Piece, append, take } from './uploads-receive.ts';
import { type Incoming, openParts } from './uploads-parts.ts';
import {
  type Announced,
  type Owner,
  type Ready,
  type Upload,
  type UploadDeps,
  begin,
  find,
  notRefused,
} from './uploads-rows.ts';

export type Uploads = {
  /** Begins an upload in pieces. @throws Refusal `upload_empty`, `upload_too_large`, `upload_quota_full`, `storage_full` */
  begin(owner: Owner, announced: Announced): Promise<string>;
  /**
   * Takes the next piece, whole or not at all; with the last one the file is looked into and kept.
   * A repeat of the newest piece is answered like the first time.
   *
   * @returns the bytes received.
   * @throws Refusal `upload_offset_wrong`, `upload_length_wrong`, `request_in_flight`, and all that
   *   `inspect` throws: what is refused for good stays refused, and is forgotten but for the reason.
   */
  append(owner: Owner, uploadId: string, piece: Piece): Promise<number>;
  /** Takes a file in one piece and gives the upload's id; when it is refused, nothing is left. */
  take(owner: Owner, announced: Announced & { name: string; bytes: Incoming }): Promise<string>;
  /** @throws Refusal `not_found`; for a refused upload, its reason. */
  find(owner: Owner, uploadId: string): Promise<Upload>;
  /** A finished upload's small file, that nothing has claimed. @throws Refusal `upload_gone` */
  read(owner: Owner, uploadId: string, purpose: UploadPurpose): Promise<UploadedFile>;
  /** Takes an upload back, with its file. @throws Refusal `not_found`, `upload_used` */
  revert(owner: Owner, uploadId: string): Promise<void>;
  /** Forgets what has expired. */
  sweep(): Promise<void>;
  /** Forgets all uploads of an account. The files that some became stay. */
  eraseAll(accountId: string): Promise<void>;
};

export type UploadedFile = { name: string; bytes: Buffer };

/** Opens the uploads: FilePond's verbs, without HTTP. */
export function openUploads(deps: UploadDeps): Uploads {
  const { dataFolder, files } = deps;
  const ready: Ready = { ...deps, parts: openParts(scratchFolder(dataFolder), files.store) };
  return {
    begin: (owner, announced) => begin(ready, owner, announced),
    append: (owner, uploadId, piece) => append(ready, owner, uploadId, piece),
    take: (owner, announced) => take(ready, owner, announced),
    find: async (owner, uploadId) => notRefused(await find(ready, owner, uploadId)),
    read: (owner, uploadId, purpose) => readFinished(ready, owner, { uploadId, purpose }),
    revert: (owner, uploadId) => revert(ready, owner, uploadId),
    sweep: () => sweep(ready),
    eraseAll: (accountId) => eraseAll(ready, accountId),
  };
}

/**
 * Uses a finished upload, once, in the transaction of the act that needs its file.
 *
 * The file then stays as long as whatever names it; what nobody claims is forgotten after a day.
 *
 * @param tx sees the account, or all of them.
 * @param uploadId the UUID behind `upl_…`, as `IdInput('upload')` gives it.
 * @returns the file's id, for `files.link` and for a row that keeps it.
 * @throws Refusal `upload_gone` when it is not this person's, has another purpose, is not finished, or was
 *   used before.
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
 * The file that an upload of this person has become, for an act that may be a repeat: the caller checks that its own row
 * names this file. Undefined when the upload is unused or was forgotten.
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
 * In a restored database, forgets the uploads that were under way when the backup was made: their pieces are no
 * part of it, and browsers begin them again. What was finished is a file.
 *
 * @param owner a pool of the database's owner.
 */
export async function forgetUnderWay(owner: Sql): Promise<void> {
  await owner`delete from uploads where state = 'receiving'`;
}

/**
 * Lets go of a file that an upload became, in the transaction of the act that stops naming it.
 *
 * @returns hashes of bytes that may lie there for nobody now: `files.erase` them once it stands.
 */
export async function releaseFile(
  tx: Tx,
  { accountId, fileId }: { accountId: string; fileId: string },
): Promise<Buffer[]> {
  await tx`delete from uploads where account_id = ${accountId} and file_id = ${fileId}`;
  return dropFiles(tx, [{ account_id: accountId, file_id: fileId }]);
}

async function readFinished(
  { sql, files }: Ready,
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

/** What is kept of a file: its name, its type, its size, and the hash of its bytes. */
export type FileFacts = { name: string; mime: string; sizeBytes: number; sha256: Buffer };

/** What is kept of an account's file, in the transaction that claimed it. */
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
 * Gives a file that was claimed before to another account: from then on it goes and stays with that one.
 *
 * @param sql sees all accounts, as `tx` does. In a distributed database the file is let go of although `tx` fails.
 */
export async function handOverFile(
  { sql, tx }: { sql: Sql; tx: Tx },
  { from, to, fileId }: { from: string; to: string; fileId: string },
): Promise<void> {
  const file = await inAccountIn({ sql, tx }, from, async (own) => {
    // Both at once where that is one transaction, so that two of these do not wait for each other.
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

async function revert(ready: Ready, owner: Owner, uploadId: string): Promise<void> {
  const { accountId } = owner;
  const { state } = await find(ready, owner, uploadId);
  if (state === 'claimed') throw new Refusal('upload_used', {});
  const digests = await asAccount(ready.sql, accountId, async (tx) => {
    const gone = await tx<Gone[]>`
      delete from uploads
      where account_id = ${accountId} and upload_id = ${uploadId} and state <> 'claimed'
      returning account_id, upload_id, file_id`;
    if (gone.length === 0) throw new Refusal('upload_used', {});
    return dropFiles(tx, gone);
  });
  await ready.parts.clear(uploadId);
  await ready.files.erase(ready.allAccountsSql, digests);
}

type Gone = { account_id: string; upload_id: string; file_id: string | null };

/** Drops the files of uploads that are gone, and gives the hashes that may lie there for nobody now. */
export async function dropFiles(
  tx: Tx,
  gone: readonly Pick<Gone, 'account_id' | 'file_id'>[],
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

async function sweep({ allAccountsSql, files, parts }: Ready): Promise<void> {
  while ((await sweepSome(allAccountsSql, { files, parts })) === ROWS_AT_ONCE);
  await parts.clearOld();
}

/** Expired uploads go with their files; of claimed ones only the row goes. */
async function sweepSome(
  allAccountsSql: Sql,
  { files, parts }: Pick<Ready, 'files' | 'parts'>,
): Promise<number> {
  const { gone, digests } = await allAccountsSql.begin(async (tx) => {
    const expired = await tx<(Gone & { state: Upload['state'] })[]>`
      delete from uploads where (account_id, upload_id) in (
        select account_id, upload_id from uploads where expires_at < clock_timestamp()
        limit ${ROWS_AT_ONCE} for update skip locked)
      returning account_id, upload_id, file_id, state`;
    const unused = expired.filter(({ state }) => state !== 'claimed');
    return { gone: expired, digests: await dropFiles(tx, unused) };
  });
  for (const { upload_id } of gone) await parts.clear(upload_id);
  await files.erase(allAccountsSql, digests);
  return gone.length;
}

async function eraseAll({ allAccountsSql, parts }: Ready, accountId: string): Promise<void> {
  for (;;) {
    const some = await allAccountsSql<{ upload_id: string }[]>`
      select upload_id from uploads where account_id = ${accountId} limit ${ROWS_AT_ONCE}`;
    if (some.length === 0) return;
    // The pieces first: once its row is gone, nobody knows of them until a day has passed.
    for (const { upload_id } of some) await parts.clear(upload_id);
    await allAccountsSql`
      delete from uploads where account_id = ${accountId}
        and upload_id = any(${some.map(({ upload_id }) => upload_id)}::uuid[])`;
  }
}
