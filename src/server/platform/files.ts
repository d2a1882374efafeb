import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { publicId, uuidOf } from '#contract/ids.ts';
import { type Sql, asAccount } from './database.ts';
import { newId } from './ids.ts';
import { type Secrets, hmac, sameBytes, sha256 } from './secrets.ts';

/** A file the house keeps for an account. */
export type KeptFile = {
  fileId: string;
  name: string;
  /** What the bytes themselves say they are; `application/octet-stream` when they say nothing we know. */
  mime: string;
  sizeBytes: number;
};

export type NewFile = {
  accountId: string;
  bytes: Uint8Array;
  name: string;
  /** The same id twice is the same file: nothing is kept a second time. */
  fileId?: string;
};

export type Files = {
  /** Keeps a file: its bytes are on the disk before its row is. */
  save(file: NewFile): Promise<KeptFile>;
  /** A file with its bytes; undefined when the account has none of this id. */
  read(accountId: string, fileId: string): Promise<(KeptFile & { bytes: Buffer }) | undefined>;
  /** A signed address of a file, good for an hour or two: the same within an hour, so it can be cached. */
  link(accountId: string, fileId: string): string;
};

const SIGNED_FOR_MS = 3_600_000;
const ID_BYTES = 16;
const EXPIRY_BYTES = 4;
const MAC_BYTES = 32;

/**
 * Opens the store of files.
 *
 * @param sql a pool that names the account (`tenant`) or sees all.
 * @param folder where the bytes lie, by their sha256; made when it is missing.
 */
export function openFiles(sql: Sql, folder: string, secrets: Secrets): Files {
  return {
    async save({ accountId, bytes, name, fileId = newId() }) {
      const digest = sha256(bytes);
      const mime = sniffed(bytes);
      await writeOnce(pathOf(folder, digest), bytes);
      await asAccount(
        sql,
        accountId,
        (tx) => tx`
          insert into files (account_id, file_id, name, mime, size_bytes, sha256)
          values (${accountId}, ${fileId}, ${name}, ${mime}, ${bytes.length}, ${digest})
          on conflict (account_id, file_id) do nothing`,
      );
      return { fileId, name, mime, sizeBytes: bytes.length };
    },
    async read(accountId, fileId) {
      const [row] = await asAccount(
        sql,
        accountId,
        (tx) => tx<(KeptFile & { sha256: Buffer })[]>`
          select file_id as "fileId", name, mime, size_bytes as "sizeBytes", sha256 from files
          where account_id = ${accountId} and file_id = ${fileId}`,
      );
      if (!row) return undefined;
      const { sha256: digest, ...file } = row;
      return { ...file, bytes: await readFile(pathOf(folder, digest)) };
    },
    link: (accountId, fileId) => signFile(secrets, accountId, fileId),
  };
}

/** The address of a file for whoever holds it: `/files/fil_…?k=…`. */
export function signFile(secrets: Secrets, accountId: string, fileId: string, nowMs = Date.now()) {
  const ends = (Math.floor(nowMs / SIGNED_FOR_MS) + 2) * SIGNED_FOR_MS;
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(ends / 1000);
  const claim = Buffer.concat([Buffer.from(accountId.replaceAll('-', ''), 'hex'), expiry]);
  const key = Buffer.concat([claim, macOf(secrets, fileId, claim)]).toString('base64url');
  return `/files/${publicId('file', fileId)}?k=${key}`;
}

/**
 * Whose file an address shows: checks the signature first, then the time.
 *
 * @param id the path's public id; @param key the query's `k`.
 * @returns undefined when we did not sign it, or its time is over.
 */
export function verifyFile(
  secrets: Secrets,
  { id, key }: { id: string; key: string },
  nowMs = Date.now(),
): { accountId: string; fileId: string } | undefined {
  const fileId = uuidOf('file', id);
  const bytes = Buffer.from(key, 'base64url');
  if (fileId === undefined || bytes.length !== ID_BYTES + EXPIRY_BYTES + MAC_BYTES)
    return undefined;
  const claim = bytes.subarray(0, -MAC_BYTES);
  if (!sameBytes(macOf(secrets, fileId, claim), bytes.subarray(-MAC_BYTES))) return undefined;
  if (claim.readUInt32BE(ID_BYTES) * 1000 <= nowMs) return undefined;
  const hex = claim.toString('hex', 0, ID_BYTES);
  const accountId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { accountId, fileId };
}

const macOf = (secrets: Secrets, fileId: string, claim: Buffer) =>
  hmac(secrets.key('links'), 'file', fileId, claim);

function pathOf(folder: string, digest: Buffer): string {
  const name = digest.toString('hex');
  return join(folder, name.slice(0, 2), name);
}

/** Writes bytes under their own hash: whole or not at all, and not again when they lie there. */
async function writeOnce(path: string, bytes: Uint8Array): Promise<void> {
  const there = await readFile(path).catch(() => undefined);
  if (there?.equals(bytes)) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  let file: FileHandle | undefined;
  try {
    file = await open(draft, 'wx', 0o600);
    await file.writeFile(bytes);
    await file.sync();
    await file.close();
    file = undefined;
    await rename(draft, path);
  } catch (error) {
    await file?.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

const marks: readonly { mime: string; at: number; says: string }[] = [
  { mime: 'image/png', at: 0, says: '\x89PNG\r\n\x1a\n' },
  { mime: 'image/jpeg', at: 0, says: '\xff\xd8\xff' },
  { mime: 'image/webp', at: 8, says: 'WEBP' },
  { mime: 'image/gif', at: 0, says: 'GIF8' },
  { mime: 'audio/ogg', at: 0, says: 'OggS' },
  { mime: 'video/mp4', at: 4, says: 'ftyp' },
  { mime: 'application/pdf', at: 0, says: '%PDF-' },
];

/** What the first bytes say a file is, whatever its name or sender claims. */
export function sniffed(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const mark = marks.find(({ at, says }) => head.startsWith(says, at));
  return mark?.mime ?? 'application/octet-stream';
}
