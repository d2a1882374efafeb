import { rm } from 'node:fs/promises';
import { Refusal, type RefusalCode } from '#contract/base/refusals.ts';
import { CHUNK_BYTES_MAX, UPLOAD_HOURS, bytesMaxFor } from '#contract/uploads.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { measure } from '#server/domains/media/files.ts';
import { newId } from '#server/infra/ids.ts';
import { cleanName } from '#server/domains/media/inspection/inspect-name.ts';
import {
  type Claim,
  checkHead,
  checkSize,
  claimedMime,
  inspect,
} from '#server/domains/media/inspection/inspect.ts';
import { type Incoming, type Part, hashOf } from './uploads-parts.ts';
import {
  type Announced,
  type Owner,
  type Ready,
  type Upload,
  begin,
  find,
  notFound,
  notRefused,
} from './uploads-rows.ts';

/** The next bytes of an upload: where they begin, how long the whole is, and what it is called. */
export type Piece = { offset: number; lengthBytes: number; name: string; bytes: Incoming };

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
export async function append(
  ready: Ready,
  owner: Owner,
  uploadId: string,
  piece: Piece,
): Promise<number> {
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
export async function take(
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
