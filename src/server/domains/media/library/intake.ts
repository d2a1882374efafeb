import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '#contract/base/refusals.ts';
import { type MediaKind, bytesMaxOfKind, endingsOfKind, fitsKind } from '#contract/media.ts';
import { bytesMaxFor, type FileMime, fileKinds, mimeOfName } from '#contract/uploads.ts';
import { type Draft, type Files, measure, storedBytes } from '#server/domains/media/files.ts';
import { type PictureMime, type Pixels, drawPreview } from '#server/domains/media/images.ts';
import { readEdges, type Sniffed, sniff } from '#server/domains/media/inspection/inspect-bytes.ts';
import type { Scanner } from '#server/domains/media/inspection/inspect-malware.ts';
import { withEnding, cleanName } from '#server/domains/media/inspection/inspect-name.ts';
import { type Inspected, inspect } from '#server/domains/media/inspection/inspect.ts';
import { scratchFolder } from '#server/infra/file-store/scratch.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { type MediaFacts, readMedia } from './row.ts';
import { type Sound, computeWaveform } from './sound/listen.ts';

export type IntakeDeps = {
  sql: Sql;
  allAccountsSql: Sql;
  files: Files;
  dataFolder: string;
  scanner: Scanner | undefined;
  storedBytesMax: number;
  keepUntil: () => Date;
  report: (error: unknown) => void;
};

export type Bytes = AsyncIterable<Uint8Array> | Uint8Array | { path: string };

export type NewMedia = {
  accountId: string;
  /** A function when it is known only after the bytes have come. */
  declared: MediaClaim | (() => MediaClaim);
  bytes: Bytes;
  source: 'api' | 'link' | 'channel' | 'portal';
  kind?: MediaKind | undefined;
  /** Idempotency: the same id is the same file and is stored once. */
  fileId?: string;
};

/** From the last byte received to the answer: a silent connection is cut after 30 s. */
export const ANSWER_MS_MAX = 25_000;

/**
 * Folder of a file during inspection; leftovers of a crash are removed with the parts of uploads.
 */
export async function withDraftFolder<T>(
  dataFolder: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = join(scratchFolder(dataFolder), `media-${newId()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    // An abandoned drawing may still write a file here.
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Adds a file to the library: inspected as every upload is, pictures drawn anew with a preview, waveforms of sounds
 * computed.
 *
 * @throws Refusal as `inspect` does, and `storage_full`
 */
export const takeMedia = (deps: IntakeDeps, media: NewMedia): Promise<MediaFacts> =>
  takeMediaOnce(deps, media, (_sha256, take) => take());

/** Decides by the hash of the received bytes whether to add them, or to return an earlier file. */
export type TakeOnce<T> = (sha256: Buffer, take: () => Promise<MediaFacts>) => Promise<T>;

/** Like `takeMedia`, but `once` may return the file of an earlier call. */
export function takeMediaOnce<T>(deps: IntakeDeps, media: NewMedia, once: TakeOnce<T>): Promise<T> {
  return withDraftFolder(deps.dataFolder, async (folder) => {
    const path = await onDisk(media, folder);
    const answerBeforeMs = performance.now() + ANSWER_MS_MAX;
    const { sha256 } = await measure(path);
    return once(sha256, async () => {
      const inspected = await inspectDraft(path, media, deps.scanner);
      const { accountId } = media;
      const described = await describe({ ...inspected, accountId }, folder, answerBeforeMs);
      return keep(deps, media, described);
    });
  });
}

async function onDisk({ bytes, kind }: NewMedia, folder: string): Promise<string> {
  if ('path' in bytes) return bytes.path;
  const path = join(folder, 'given');
  if (bytes instanceof Uint8Array) {
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
    return path;
  }
  const bytesMax = kind ? bytesMaxOfKind(kind) : bytesMaxFor('media');
  await pipeline(limited(bytes, bytesMax), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return path;
}

async function* limited(bytes: AsyncIterable<Uint8Array>, bytesMax: number) {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > bytesMax) throw new Refusal('upload_too_large', { bytesMax });
    yield chunk;
  }
}

async function inspectDraft(
  path: string,
  { accountId, declared, source, kind }: NewMedia,
  scanner: Scanner | undefined,
): Promise<Inspected> {
  const { head } = await readEdges(path);
  const by = source === 'api' ? 'program' : 'link';
  const known = typeof declared === 'function' ? declared() : declared;
  const claim = { accountId, purpose: 'media' as const, ...claimOf(known, { by, kind, head }) };
  const inspected = await inspect(path, claim, scanner);
  if (kind !== undefined && !fitsKind(kind, inspected.mime)) {
    throw new Refusal('upload_kind_refused', { allowed: endingsOfKind(kind) });
  }
  return inspected;
}

type Described = {
  file: Omit<Draft, 'accountId' | 'fileId'>;
  preview: Omit<Draft, 'accountId' | 'fileId'> | undefined;
  pixels: Pixels | undefined;
  sound: Sound | undefined;
};

/**
 * Metadata of an inspected file. Its preview is drawn into `folder`, unless that would take until after
 * `answerBeforeMs` (by `performance.now()`).
 */
export async function describe(
  { path, name, mime, accountId }: Omit<Inspected, 'mime'> & { mime: string; accountId: string },
  folder: string,
  answerBeforeMs: number,
): Promise<Described> {
  const file = { path, name, mime, ...(await measure(path)) };
  const small = join(folder, 'preview');
  const drawn = mime.startsWith('image/')
    ? await drawPreview(
        { path, mime: mime as PictureMime, accountId },
        small,
        Math.max(0, answerBeforeMs - performance.now()),
      )
    : undefined;
  const preview = drawn?.isDrawn
    ? { path: small, name: withEnding(name, 'webp'), mime: 'image/webp', ...(await measure(small)) }
    : undefined;
  return {
    file,
    preview,
    pixels: drawn?.pixels,
    sound: await computeWaveform(path, mime, accountId),
  };
}

/**
 * Stores a file with its metadata, atomically.
 *
 * @param claim runs first in the transaction that makes it a file of the library, unless it is one already.
 * @throws Refusal `storage_full`, and errors of `claim`.
 */
export async function keep(
  { sql, allAccountsSql, files, storedBytesMax, keepUntil, report }: IntakeDeps,
  { accountId, source, fileId = newId() }: Pick<NewMedia, 'accountId' | 'source' | 'fileId'>,
  { file, preview, pixels, sound }: Described,
  claim?: (tx: Tx) => Promise<unknown>,
): Promise<MediaFacts> {
  const previewId = preview ? newId() : null;
  const drafts = [
    { ...file, fileId },
    ...(preview && previewId !== null ? [{ ...preview, fileId: previewId }] : []),
  ];
  try {
    for (const draft of drafts) await files.sendAhead(draft);
    return await asAccount(sql, accountId, async (tx) => {
      // The lock of uploads: two concurrent ones would both see the room of one.
      await tx`select pg_advisory_xact_lock(hashtextextended(${`uploads ${accountId}`}, 0))`;
      const [there] = await readMedia(tx, accountId, [fileId]);
      if (there) return there;
      await claim?.(tx);
      if ((await storedBytes(tx, accountId, drafts)) > storedBytesMax) {
        throw new Refusal('storage_full', { bytesMax: storedBytesMax });
      }
      for (const draft of drafts) await files.keep(tx, { accountId, ...draft });
      await tx`
        insert into media_library
          (account_id, file_id, source, preview_id, width, height, waveform, seconds, expires_at)
        values (${accountId}, ${fileId}, ${source}, ${previewId},
          ${pixels?.width ?? null}, ${pixels?.height ?? null},
          ${sound ? [...sound.waveform] : null}::smallint[], ${sound?.seconds ?? null},
          ${keepUntil()})`;
      const [kept] = await readMedia(tx, accountId, [fileId]);
      if (!kept) throw new Error('a file that was just kept is gone');
      return kept;
    });
  } catch (error) {
    const digests = drafts.map(({ sha256 }) => sha256);
    await files.erase(allAccountsSql, digests).catch(report);
    throw error;
  }
}

type MediaClaim = { name: string; type: string };

/** Types that hosts and programs give to unknown files, or to files to be saved. */
const unspecifiedTypes = new Set([
  '',
  '*/*',
  'application/octet-stream',
  'binary/octet-stream',
  'application/force-download',
  'application/download',
  'application/x-download',
  'application/unknown',
]);

/** Types that the first bytes alone prove; a ZIP or an old office document may be many types. */
const typeBySniff: Partial<Record<Sniffed, FileMime>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  ogg: 'audio/ogg',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  amr: 'audio/amr',
  mp4: 'video/mp4',
  webm: 'audio/webm',
  pdf: 'application/pdf',
  text: 'text/plain',
};

function mimeOfType(type: string): FileMime | undefined {
  const kinds = Object.entries(fileKinds) as [FileMime, (typeof fileKinds)[FileMime]][];
  const named = kinds.find(([mime]) => mime === type);
  return (named ?? kinds.find(([, { alsoDeclared }]) => alsoDeclared?.includes(type)))?.[0];
}

const bareType = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? '';

/** Audio in a video container: only the message's type tells which. */
const mimeForKind = (mime: FileMime, kind: MediaKind | undefined): FileMime =>
  kind === 'audio' && mime === 'video/mp4' ? 'audio/mp4' : mime;

/**
 * Claims of a file as `inspect` takes them: a name whose ending matches its type, and the declared type if there is
 * one. No claim is trusted: the bytes must agree.
 *
 * @param by origin of the claim. A program names a file correctly; an address may have any ending (`/foto.jpg` of a
 * host that returns WebP), so the declared type of a link takes precedence.
 */
function claimOf(
  { name, type }: MediaClaim,
  { by, kind, head }: { by: 'program' | 'link'; kind?: MediaKind | undefined; head: Uint8Array },
): { name: string; declared: string } {
  const clean = cleanName(name);
  const declared = unspecifiedTypes.has(bareType(type)) ? '' : bareType(type);
  const byName = mimeOfName(clean);
  const byType = declared === '' ? undefined : mimeOfType(declared);
  const mime = by === 'link' ? (byType ?? byName) : (byName ?? byType);
  const unknown = declared !== '' && byType === undefined;
  if (unknown) return { name: clean, declared };
  const known = mime ?? typeBySniff[sniff(head)];
  if (known === undefined) return { name: clean, declared };
  const is = mimeForKind(known, kind);
  const fits = byName !== undefined && mimeForKind(byName, kind) === is && mimeOfName(clean) === is;
  return {
    name: fits ? clean : withEnding(clean, fileKinds[is].extensions[0]),
    declared: by === 'program' ? declared : '',
  };
}
