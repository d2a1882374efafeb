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
  type Announced,
  type Owner,
  type Ready,
  type Upload,
  type UploadDeps,
  begin,
  find,
  notRefused,
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

/** The next bytes of an upload: where they begin, how long the whole is, and what it is called. */
type Piece = { offset: number; lengthBytes: number; name: string; bytes: Incoming };

/** 100 MB in pieces of 100 kB: smaller ones would only make many files. */
const PARTS_MAX = 1_000;
const CHECK_SECONDS = 180;
const AGAIN_SECONDS = 2;

/** What is refused for these reasons will never be anything else. */
const final: ReadonlySet<RefusalCode> = new Set([
  'upload_kind_refused',
  'upload_contradicts',
  'upload_unsafe',
  'upload_infected',
  'upload_too_large',
  'upload_empty',
]);

/** See `Uploads.append`. */
async function append(ready: Ready, owner: Owner, uploadId: string, piece: Piece): Promise<number> {
  const { offset, lengthBytes } = piece;
  const upload = notRefused(await find(ready, owner, uploadId));
  if (lengthBytes !== upload.lengthBytes) {
    throw new Refusal('upload_length_wrong', { length: upload.lengthBytes });
  }
  const isEnd = offset === upload.receivedBytes && offset === upload.lengthBytes;
  if (isEnd || (await isRepeat(upload, piece))) {
    if (isEnd) await nothingMore(piece.bytes, offset);
    const waits = upload.state === 'receiving' && upload.receivedBytes === upload.lengthBytes;
    if (waits) await complete(ready, owner, uploadId);
    return upload.receivedBytes;
  }
  const received = await refusing(ready, owner, uploadId, () =>
    receive(ready, owner, upload, piece),
  );
  if (received === upload.lengthBytes) await complete(ready, owner, uploadId);
  return received;
}

/** See `Uploads.take`. */
async function take(
  ready: Ready,
  owner: Owner,
  announced: Announced & { name: string; bytes: Incoming },
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
    await takeWhole(ready, owner, uploadId, { name: claim.name, part });
    await complete(ready, owner, uploadId);
    return uploadId;
  } catch (error) {
    await forget(ready, owner, uploadId);
    throw error;
  }
}

async function takeWhole(
  { sql }: Ready,
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

async function forget({ sql, parts }: Ready, { accountId }: Owner, uploadId: string) {
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

async function nothingMore(bytes: Incoming, offset: number): Promise<void> {
  for await (const chunk of bytes) if (chunk.length > 0) throw wrongOffset(offset);
}

/** True for the newest piece once more, byte by byte: its first answer was lost on the way. */
async function isRepeat(upload: Upload, { offset, bytes }: Piece): Promise<boolean> {
  const { receivedBytes, lastOffset, lastSha256 } = upload;
  if (offset === receivedBytes) return false;
  if (offset !== lastOffset || lastSha256 === null) throw wrongOffset(receivedBytes);
  const again = await hashOf(bytes, receivedBytes - offset);
  if (!again?.equals(lastSha256)) throw wrongOffset(receivedBytes);
  return true;
}

/** Writes a piece and has the row say so; of two at the same offset, the row takes the first. */
async function receive(
  ready: Ready,
  owner: Owner,
  upload: Upload,
  { offset, name: raw, bytes }: Piece,
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
  if (await rowTakes(ready, owner, { uploadId, offset, name, part })) return offset + part.bytes;
  await ready.parts.drop(uploadId, part.partId);
  throw wrongOffset((await find(ready, owner, uploadId)).receivedBytes);
}

async function rowTakes(
  { sql }: Ready,
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
 * Looks into an upload whose bytes are all here, and keeps it. One at a time looks; who died meanwhile
 * is waited for no longer than three minutes.
 */
async function complete(ready: Ready, owner: Owner, uploadId: string): Promise<void> {
  const upload = await leased(ready, owner, uploadId);
  if (!upload) {
    const { state } = notRefused(await find(ready, owner, uploadId));
    if (state === 'receiving') throw new Refusal('request_in_flight', { seconds: AGAIN_SECONDS });
    return;
  }
  try {
    await refusing(ready, owner, uploadId, () => keepWhole(ready, owner, upload));
  } catch (error) {
    await unlease(ready, owner, uploadId);
    throw error;
  }
  await ready.parts.clear(uploadId);
}

async function leased(ready: Ready, owner: Owner, uploadId: string): Promise<Upload | undefined> {
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

const unlease = ({ sql }: Ready, { accountId }: Owner, uploadId: string) =>
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

async function keepWhole(ready: Ready, { accountId }: Owner, upload: Upload): Promise<void> {
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
      // Locked before the files of the account, as by who forgets it.
      await tx`
        select from uploads where account_id = ${accountId} and upload_id = ${uploadId} for update`;
      await files.keep(tx, { accountId, fileId, path: kept, name, mime, ...measured });
      const finished = await tx`
        update uploads set state = 'finished', file_id = ${fileId}, name = ${name},
          checked_until = null,
          expires_at = clock_timestamp() + make_interval(hours => ${UPLOAD_HOURS})
        where account_id = ${accountId} and upload_id = ${uploadId} and state = 'receiving'
        returning 1`;
      // Taken back, or finished by another, meanwhile: then this file is nobody's.
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
 * Does something with an upload; a refusal for good is written down, and its bytes are forgotten.
 *
 * @throws Refusal `not_found` when it was taken back meanwhile, whatever that did to `work`.
 */
async function refusing<T>(
  ready: Ready,
  owner: Owner,
  uploadId: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && !final.has(error.code)) throw error;
    await find(ready, owner, uploadId);
    if (error instanceof Refusal) await writeRefusal(ready, owner, uploadId, error);
    throw error;
  }
}

async function writeRefusal(
  { sql, parts }: Ready,
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
